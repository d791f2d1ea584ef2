// The README tells the truth: its commands answer as it shows, those of docs/tools.md too, and its tables are the code's.
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import t from 'tap'
import { SETTINGS } from '../src/config.ts'
import { CATALOGUE } from '../src/protocol/errors.ts'
import { listening, readMessages } from './helper.ts'

const readme = readFileSync('README.md', 'utf8')

/** Each command of a page that calls the server, with the block that shows its answer. */
const examplesOf = (page: string) =>
  [...page.matchAll(/```sh\n((?:(?!```)[\s\S])*?curl(?:(?!```)[\s\S])*?)```\n```(json|sse)\n([\s\S]*?)```/g)].map(
    ([, command, kind, answer]) => ({ command: command!, kind: kind!, answer: answer! }),
  )

const examples = [...examplesOf(readme), ...examplesOf(readFileSync('docs/tools.md', 'utf8'))]

/** A page shows … for what is another text each time. */
const asShown = (_key: string, value: unknown) => (value === '…' ? String : value)

const tableRows = (pattern: RegExp) =>
  readme
    .split('\n')
    .map(line => pattern.exec(line))
    .filter(found => found !== null)

t.test('every curl command answers as its page shows', async t => {
  const { app, port } = await listening(t, { toolsDir: 'tools', watchTools: false })
  t.equal(examples.length, 9)

  for (const { command, kind, answer } of examples) {
    const shell = spawn('bash', ['-c', command.replaceAll('127.0.0.1:3000', `127.0.0.1:${port}`)])
    t.teardown(() => shell.kill())
    const expected = kind === 'json' ? [JSON.parse(answer, asShown)] : readMessages('text/event-stream', answer)
    let output = ''
    const seen = () => readMessages(kind === 'json' ? '' : 'text/event-stream', output)
    await new Promise<void>(resolve => {
      shell.stdout.setEncoding('utf8').on('data', (chunk: string) => {
        output += chunk
        const isAcknowledged = output.includes('acknowledged') && !output.includes('list_changed')
        if (isAcknowledged) app.toolrack.remove('calculate_sum')
        if (kind === 'sse' && output.split('data: ').length > expected.length && output.endsWith('\n\n')) resolve()
      })
      shell.on('close', () => resolve())
    })

    t.match(seen(), expected, command.slice(0, 120))
  }
})

t.test('the table of errors is the catalogue, row by row', async t => {
  const rows = tableRows(/^\| `([A-Z_]+)` \| (-?\d+) \| (\d+) \| \S/)

  t.strictSame(
    rows.map(([, name, code, status]) => [name, Number(code), Number(status)]),
    Object.entries(CATALOGUE).map(([name, { code, status }]) => [name, code, status]),
  )
})

t.test('the table of settings names every setting', async t => {
  const named = tableRows(/^\| (`[A-Z_]+`(?:, `[A-Z_]+`)*) \| /).flatMap(([, names]) => names!.match(/[A-Z_]+/g)!)
  const settings = Object.keys(SETTINGS)

  t.strictSame(
    settings.filter(name => !named.includes(name)),
    [],
  )
  t.strictSame(
    named.filter(name => !settings.includes(name) && !(name in CATALOGUE)),
    [],
  )
})

t.test('the README stays under 250 lines', async t => {
  t.ok(readme.split('\n').length < 250)
})
