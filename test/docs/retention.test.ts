// docs/reference/retention.md tells the truth: its times are those of the code, and its settings exist.
import { readFileSync } from 'node:fs'
import t from 'tap'
import { ROOMS } from '../../packages/broker/src/state/rooms.ts'
import { TOKEN_CACHE_MS } from '../../packages/tokens/src/token-cache.ts'
import { SETTINGS } from '../../src/config/settings.ts'
import { KEPT_TTL_MS, STATE_TTL_MS } from '../../src/input/request-state.ts'
import { MAX_TICKET_AGE_MS } from '../../src/legacy/session-tickets.ts'
import { MAX_EVENTS_PER_STREAM, STREAM_TTL_MS } from '../../src/state/events.ts'
import { FILE_TTL_MS } from '../../src/state/files.ts'
import { KEPT_MS } from '../../src/state/kept-results.ts'

const page = readFileSync('docs/reference/retention.md', 'utf8')
const [, server = '', broker = ''] = page.split(/^## The .*$/m)
const readRows = (text: string) =>
  [...text.matchAll(/^\| (?!---|what \|)(.+) \|$/gm)].map(([, row = '']) => row.split(' | '))
const rows = [...readRows(server), ...readRows(broker)]

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const toText = (ms: number) =>
  ms < 2 * MINUTE
    ? `${ms / 1000} s`
    : ms < HOUR
      ? `${ms / MINUTE} min`
      : ms <= 24 * HOUR
        ? `${ms / HOUR} h`
        : `${ms / (24 * HOUR)} days`

const TIMES: readonly [what: string, ...texts: string[]][] = [
  ['ids of sessions', toText(MAX_TICKET_AGE_MS)],
  ['events of streams', toText(STREAM_TTL_MS), String(MAX_EVENTS_PER_STREAM)],
  ['files of tools', toText(FILE_TTL_MS)],
  ['results of calls', toText(KEPT_MS)],
  ['`requestState`', toText(STATE_TTL_MS), toText(KEPT_TTL_MS)],
  ['tokens that were verified', toText(TOKEN_CACHE_MS)],
  ['clients that nobody', toText(ROOMS.Client.ttlS * 1000)],
  ['requests, and sign-ins', toText(ROOMS.Interaction.ttlS * 1000)],
  ['assertions', toText(ROOMS.ReplayDetection.ttlS * 1000)],
]

t.test('docs: times that are fixed are those of the code', async t => {
  for (const [what, ...texts] of TIMES) {
    const [row, ...others] = rows.filter(([first = '']) => first.startsWith(what))
    t.strictSame(others, [], what)
    for (const text of texts) t.ok(row?.[3]?.includes(text), `${what}: ${text} in ${row?.[3]}`)
  }
})

t.test('docs: settings that a row names are settings of the server, or of the broker', async t => {
  const known = { server: new Set(Object.keys(SETTINGS)), broker: readBrokerSettings() }

  for (const [part, text] of [
    ['server', server],
    ['broker', broker],
  ] as const) {
    const named = readRows(text).flatMap(
      row =>
        row
          .slice(2)
          .join()
          .match(/\b[A-Z]+(?:_[A-Z]+)+\b/g) ?? [],
    )
    t.ok(named.length > 2, part)
    for (const name of named) t.ok(name === 'OTEL_' || known[part].has(name), `${part}: ${name}`)
  }
})

function readBrokerSettings(): Set<string> {
  const table = readFileSync('docs/guides/broker.md', 'utf8').matchAll(/^\| ((?:`[A-Z_]+`(?:,| or)? ?)+)\|/gm)
  return new Set([...table].flatMap(([, names = '']) => names.match(/[A-Z_]+/g) ?? []))
}
