// The Caddy of docker-compose.yml, with its own Caddyfile, in front of replicas on this machine.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Test } from 'tap'
import type { Place } from '../../support/client/transport.ts'
import { freePort } from '../../support/free-port.ts'
import { until } from '../../support/replicas/pair.ts'

export const CADDYFILE = 'deploy/Caddyfile'

/** Said where there is none. */
export const NO_CADDY =
  spawnSync('caddy', ['version']).status === 0
    ? false
    : 'SKIPPED: caddy is not installed, so that deploy/Caddyfile was not tested (apt-get install caddy)'

/** It keeps nothing outside of this folder. */
function home(t: Test): NodeJS.ProcessEnv {
  const folder = mkdtempSync(join(tmpdir(), 'toolrack-caddy-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  return { HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder }
}

export interface Ran {
  readonly status: number | null
  readonly text: string
}

export function runCaddy(t: Test, ...args: string[]): Ran {
  const { status, stdout, stderr } = spawnSync('caddy', args, {
    env: { ...process.env, ...home(t) },
    encoding: 'utf8',
  })
  return { status, text: `${stdout}${stderr}` }
}

/** Listens when it returns; gone with the test. */
export async function startCaddy(t: Test, ports: readonly number[]): Promise<Place> {
  const port = await freePort()
  const child = spawn('caddy', ['run', '--config', CADDYFILE, '--adapter', 'caddyfile'], {
    env: {
      ...process.env,
      ...home(t),
      PORT: String(port),
      REPLICAS: ports.map(each => `127.0.0.1:${each}`).join(' '),
    },
    stdio: 'ignore',
  })
  t.teardown(() => kill(child))
  await until(() => answers(`http://127.0.0.1:${port}/ready`), 'caddy serves')
  return { url: `http://127.0.0.1:${port}/mcp` }
}

async function answers(url: string): Promise<boolean> {
  const response = await fetch(url).catch(() => undefined)
  await response?.text()
  return response?.ok === true
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGKILL')
  await ended
}
