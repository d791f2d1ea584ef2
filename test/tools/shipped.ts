// What the tests of the shipped tools share: the server that serves the folder, settings, and an upstream to call.
import { once } from 'node:events'
import { readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { Test } from 'tap'
import type { ServerOptions } from '../../src/index.ts'

/** The tools folder as it is shipped, read once. */
export const SHIPPED: ServerOptions = { toolsDir: 'tools', watchTools: false }

/** Sets a variable of the environment, `undefined` unsets it, until the test ends. */
export function setting(t: Test, name: string, value: string | undefined): void {
  const before = process.env[name]
  put(name, value)
  t.teardown(() => put(name, before))
}

function put(name: string, value: string | undefined): void {
  if (value === undefined) delete process.env[name]
  else process.env[name] = value
}

/** A file in a files folder of its own. @returns its name there */
export function dataFile(t: Test, content: string | Buffer): string {
  const folder = t.testdir({})
  writeFileSync(join(folder, 'data.csv'), content)
  setting(t, 'FILES_DIR', folder)
  return 'data.csv'
}

/** A files folder `root`, and secrets around it. @returns the folder that holds them */
export function filesFolder(t: Test): string {
  const base = t.testdir({
    root: { 'data.csv': 'a\n1\n', sales: { '2026.csv': 'a\n2\n' } },
    'root-evil': { 'secret.csv': 'secret\n1\n' },
    'secret.csv': 'secret\n1\n',
  })
  setting(t, 'FILES_DIR', join(base, 'root'))
  return base
}

/** The text of a failed call. @throws Error where it did not fail */
export function errorOf(result: { isError?: boolean; content: { text: string }[] }): string {
  if (result.isError !== true) throw new Error(`not an error: ${JSON.stringify(result)}`)
  return result.content[0]!.text
}

export function fixture(name: string): string {
  return readFileSync(new URL(`../fixtures/${name}`, import.meta.url), 'utf8')
}

/** What this process has open below a folder. */
export function openBelow(folder: string): string[] {
  return readdirSync('/proc/self/fd')
    .map(target)
    .filter(path => path.startsWith(folder))
}

// The descriptor that listed the folder is closed by now.
function target(fd: string): string {
  try {
    return readlinkSync(`/proc/self/fd/${fd}`)
  } catch {
    return ''
  }
}

export type Answer = (request: http.IncomingMessage, response: http.ServerResponse) => void

/** A server on 127.0.0.1 that closes with the test. @returns its base URL */
export async function upstream(t: Test, answer: Answer): Promise<string> {
  const server = http.createServer(answer).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(async () => {
    server.closeAllConnections()
    server.close()
    await once(server, 'close')
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

export const json =
  (body: string, status = 200): Answer =>
  (_request, response) => {
    response.writeHead(status, { 'content-type': 'application/json; charset=utf-8' }).end(body)
  }
