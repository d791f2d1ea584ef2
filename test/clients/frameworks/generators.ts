// What generators make of an OpenAPI document: clients whose functions are called by the tests.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { createClient as createHeyApi } from '@hey-api/openapi-ts'
import createOpenApiFetch from 'openapi-fetch'
import openapiTS, { astToString } from 'openapi-typescript'
import { generate as generateOrval } from 'orval'
import SwaggerClient from 'swagger-client'
import type { Test } from 'tap'

export interface Reply {
  readonly status: number
  readonly data: unknown
}

/** A client that a generator has made. */
export interface GeneratedClient {
  /** TypeScript that has to compile. */
  readonly files: readonly string[]
  call(name: string, args: object): Promise<Reply>
}

export interface Source {
  readonly document: object
  readonly baseUrl: string
  /** A folder in which the packages of this one are found. */
  readonly folder: string
}

export type Generate = (source: Source) => Promise<GeneratedClient>

/** By the name that its users know. */
export const GENERATORS: Readonly<Record<string, Generate>> = {
  async 'openapi-typescript'({ document, baseUrl, folder }) {
    const file = join(folder, 'schema.ts')
    writeFileSync(file, astToString(await openapiTS(document as never, { defaultNonNullable: false })))
    const client = createOpenApiFetch<Record<string, never>>({ baseUrl })
    return {
      files: [file],
      async call(name, args) {
        const post = client.POST as unknown as (path: string, options: object) => Promise<Answered>
        return toReply(await post(`/tools/${name}`, { body: args }))
      },
    }
  },
  async 'hey-api'({ document, baseUrl, folder }) {
    const path = join(folder, 'hey-api')
    await createHeyApi({
      input: document as never,
      output: { path, importFileExtension: '.ts' } as never,
      plugins: ['@hey-api/typescript', '@hey-api/sdk', '@hey-api/client-fetch'],
      logs: { level: 'silent' },
    })
    return {
      files: [join(path, 'index.ts'), join(path, 'sdk.gen.ts')],
      async call(name, args) {
        const { [toCamel(name)]: call } = await load<Answered>(join(path, 'sdk.gen.ts'))
        return toReply(await call!({ baseUrl, body: args }))
      },
    }
  },
  async orval({ document, baseUrl, folder }) {
    const [input, file] = [join(folder, 'openapi.json'), join(folder, 'orval.ts')]
    writeFileSync(input, JSON.stringify(document))
    await generateOrval({ input: { target: input }, output: { target: file, client: 'fetch', baseUrl } })
    return {
      files: [file],
      async call(name, args) {
        const { [toCamel(name)]: call } = await load<Reply>(file)
        return call!(args)
      },
    }
  },
  async 'swagger-client'({ document }) {
    const client = await SwaggerClient({ spec: document })
    return {
      files: [],
      async call(name, args) {
        const options = { requestBody: args, requestContentType: 'application/json' }
        try {
          const { status, body } = await client.apis.tools[name]({}, options)
          return { status, data: body }
        } catch (error) {
          const { status, response } = error as { status: number; response: { body: unknown } }
          return { status, data: response.body }
        }
      },
    }
  },
}

interface Answered {
  readonly data?: unknown
  readonly error?: unknown
  readonly response: Response
}

const toReply = ({ data, error, response }: Answered): Reply => ({ status: response.status, data: data ?? error })

const toCamel = (name: string) => name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())

const load = async <T>(file: string) =>
  (await import(pathToFileURL(file).href)) as Record<string, (options: object) => Promise<T>>

export function createFolder(t: Test): string {
  const path = mkdtempSync(join(import.meta.dirname, '.openapi-'))
  t.teardown(() => rmSync(path, { recursive: true }))
  return path
}

const COMPILER = join(import.meta.dirname, 'node_modules/typescript/bin/tsc')
const OPTIONS = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2022', '--skipLibCheck']

/** @returns what the compiler says; an empty text if all is well */
export function compile(files: readonly string[]): string {
  const args = [COMPILER, ...OPTIONS, '--allowImportingTsExtensions', ...files]
  const { status, stdout } = spawnSync(process.execPath, args, { encoding: 'utf8' })
  return status === 0 ? '' : stdout
}
