// A server whose secrets stand in files.
import { join } from 'node:path'
import type { Test } from 'tap'
import { readEnvironment } from '../../../packages/environment/src/read.ts'
import { findSecretFiles } from '../../../packages/environment/src/secret-files.ts'
import { buildServer } from '../../../src/app.ts'
import { resolveOptions } from '../../../src/config/options.ts'
import { defineTool, type ServerOptions } from '../../../src/index.ts'
import { buildBy } from '../app.ts'
import { settingsAsOptions } from '../settings-as-options.ts'
import { tempFolder } from '../tools-folder.ts'
import { RESOURCE } from './guarded.ts'

/** A server as the command makes it of `NAME_FILE`, and a way to write the files and have them read. */
export async function secretFiles(
  t: Test,
  secrets: Record<string, string>,
  settings: Record<string, string> = {},
  tools: ServerOptions['tools'] = [defineTool({ name: 'here', handler: () => 'here' })],
) {
  const folder = tempFolder(t, secrets)
  const files = Object.fromEntries(Object.keys(secrets).map(name => [`${name}_FILE`, join(folder.path, name)]))
  const environment = { PUBLIC_URL: RESOURCE, ...settings, ...files }
  const app = await buildBy(t, ({ logStream, audit, ...ours }) => {
    const options = { ...settingsAsOptions(readEnvironment(environment)), ...ours, audit, tools }
    return buildServer(resolveOptions(options, { secretFiles: findSecretFiles(environment) }), logStream!)
  })
  const renew = async (changed: Record<string, string | undefined>) => {
    folder.write(changed)
    await app.toolrack.reload()
  }
  return { app, renew }
}

export type ServedSecrets = Awaited<ReturnType<typeof secretFiles>>
