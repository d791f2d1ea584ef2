// A Prometheus of the test's own: the real program on a free port of loopback, with what it keeps in a folder that goes.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Test } from 'tap'
import { stringify } from 'yaml'
import { freePort } from '../../../../test/support/free-port.ts'

const isThere = (program: string) => spawnSync(program, ['--version']).status === 0

/** Said where it is missing; `.ci/run` installs it, and so skips nothing. */
export const NO_PROMETHEUS =
  isThere('prometheus') && isThere('promtool')
    ? false
    : 'SKIPPED: prometheus is not installed, so that neither the metrics nor the alerts were tried on it'

export const MONITORING = 'deploy/monitoring'

/** @param input what it reads from its standard input */
export function promtool(args: readonly string[], input = ''): { status: number | null; output: string } {
  const { status, stdout, stderr } = spawnSync('promtool', args, { input, encoding: 'utf8' })
  return { status, output: `${stdout}${stderr}`.trim() }
}

export interface Sample {
  readonly metric: Readonly<Record<string, string>>
  readonly value: readonly [number, string]
}

export interface Rule {
  readonly name: string
  readonly health: string
  readonly lastError?: string
}

export interface Prometheus {
  query(expression: string): Promise<Sample[]>
  rules(): Promise<Rule[]>
  /** Of its targets: 'up', or what it says of them. */
  health(): Promise<string[]>
}

const START_MS = 60_000

/** Scrapes these addresses twice a second as the job `toolrack`, with the alerts that are shipped. */
export async function prometheus(t: Test, targets: readonly string[]): Promise<Prometheus> {
  const folder = mkdtempSync(join(tmpdir(), 'toolrack-prometheus-'))
  const config = {
    global: { scrape_interval: '500ms', evaluation_interval: '500ms' },
    rule_files: [resolve(MONITORING, 'alerts.yml')],
    scrape_configs: [{ job_name: 'toolrack', static_configs: [{ targets }] }],
  }
  writeFileSync(join(folder, 'prometheus.yml'), stringify(config))
  const port = await freePort()
  const child = spawn(
    'prometheus',
    [
      `--config.file=${folder}/prometheus.yml`,
      `--storage.tsdb.path=${folder}/data`,
      `--web.listen-address=127.0.0.1:${port}`,
    ],
    { stdio: 'ignore' },
  )
  t.teardown(async () => {
    await end(child)
    rmSync(folder, { recursive: true, force: true })
  })
  const url = `http://127.0.0.1:${port}`
  await whenReady(child, url)
  return {
    query: async expression => (await ask(url, 'query', { query: expression })).result as Sample[],
    rules: async () => ((await ask(url, 'rules')).groups as { rules: Rule[] }[]).flatMap(({ rules }) => rules),
    health: async () =>
      ((await ask(url, 'targets')).activeTargets as { health: string; lastError: string }[]).map(
        target => target.lastError || target.health,
      ),
  }
}

async function whenReady(child: ChildProcess, url: string): Promise<void> {
  for (const endMs = Date.now() + START_MS; Date.now() < endMs && child.exitCode === null; await sleep(50)) {
    const isReady = await fetch(`${url}/-/ready`).then(
      ({ ok }) => ok,
      () => false,
    )
    if (isReady) return
  }
  throw new Error(`prometheus did not start; it ended with ${child.exitCode}`)
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGKILL')
  await ended
}

async function ask(url: string, path: string, params: Record<string, string> = {}): Promise<Record<string, unknown>> {
  const reply = await fetch(`${url}/api/v1/${path}?${new URLSearchParams(params)}`)
  const { status, data, error } = (await reply.json()) as {
    status: string
    data: Record<string, unknown>
    error?: string
  }
  if (status !== 'success') throw new Error(`${params['query'] ?? path}: ${error}`)
  return data
}
