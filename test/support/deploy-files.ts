// The files of deploy/ and docker-compose.yml, parsed.
import { readFileSync } from 'node:fs'
import { parseEnv } from 'node:util'
import { parse } from 'yaml'

// biome-ignore lint/suspicious/noExplicitAny: tests look into documents freely
export type Document = any

export const yamlOf = (path: string): Document => parse(readFileSync(path, 'utf8'), { merge: true, uniqueKeys: true })

export const envOf = (path: string): Record<string, string> =>
  parseEnv(readFileSync(path, 'utf8')) as Record<string, string>

/** What the image sets. */
export function imageEnvironment(): Record<string, string> {
  const [, line = ''] = /^ENV (.*)$/m.exec(readFileSync('Dockerfile', 'utf8')) ?? []
  return Object.fromEntries(line.split(' ').map(pair => pair.split('=') as [string, string]))
}

/** `20s` → 20. */
export const secondsOf = (text: string): number => Number(/^(\d+)s$/.exec(text)?.[1])

/** The YAML that a page shows under the name of its file, a comment in the first line. */
export function exampleOf(page: string, name: string): string {
  const blocks = readFileSync(page, 'utf8').matchAll(/```yaml\n# (\S+)\n([\s\S]*?)```/g)
  for (const [, file, text] of blocks) if (file === name) return text!
  throw new Error(`${page} shows no ${name}`)
}
