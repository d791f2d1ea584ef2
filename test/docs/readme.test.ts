// The README tells the truth: its commands and those of docs/guides/http.md answer as shown, and it stays short.
import { spawn } from 'node:child_process'
import { globSync, readFileSync, statSync } from 'node:fs'
import t from 'tap'
import { listening, readMessages } from '../support/app.ts'
import getPrice from '../support/examples/tool.ts'

interface Example {
  readonly command: string
  readonly kind: 'json' | 'sse'
  readonly answer: string
}

const readme = readFileSync('README.md', 'utf8')

/** The commands of a page that have an answer behind them, each with the shell functions that the page has defined. */
function readExamples(page: string): Example[] {
  const examples: Example[] = []
  let functions = ''
  for (const [, code = '', kind, answer] of page.matchAll(/```sh\n([\s\S]*?)```\n(?:```(json|sse)\n([\s\S]*?)```)?/g)) {
    if (kind !== undefined) examples.push({ command: functions + code, kind: kind as 'json', answer: answer! })
    else if (/^\w+\(\) \{/m.test(code)) functions = code
  }
  return examples
}

/** A page shows … for what is another text each time. */
const asShown = (_key: string, value: unknown) => (value === '…' ? String : value)

for (const [name, page, count, tools] of [
  ['README.md', readme, 1, [getPrice]],
  ['docs/guides/http.md', readFileSync('docs/guides/http.md', 'utf8'), 9, []],
] as const) {
  t.test(`${name}: every command answers as the page shows`, async t => {
    const { app, port } = await listening(t, { toolsDir: 'tools', watchTools: false, tools })
    const examples = readExamples(page)
    t.equal(examples.length, count)

    for (const { command, kind, answer } of examples) {
      const shell = spawn('bash', ['-c', command.replaceAll('127.0.0.1:3000', `127.0.0.1:${port}`)])
      t.teardown(() => shell.kill())
      const expected = kind === 'json' ? [JSON.parse(answer, asShown)] : readMessages('text/event-stream', answer)
      let output = ''
      // A call of more than a second answers by a stream.
      const seen = () => readMessages(output.startsWith('{') ? '' : 'text/event-stream', output)
      await new Promise<void>(resolve => {
        shell.stdout.setEncoding('utf8').on('data', (chunk: string) => {
          output += chunk
          const isAcknowledged = output.includes('acknowledged') && !output.includes('list_changed')
          if (isAcknowledged) app.toolrack.remove('get_current_time')
          if (kind === 'sse' && output.split('data: ').length > expected.length && output.endsWith('\n\n')) resolve()
        })
        shell.on('close', () => resolve())
      })

      t.match(seen(), expected, command.slice(-120))
    }
  })
}

t.test('the README has fewer than 130 lines, and no line of its code scrolls', async t => {
  t.ok(readme.split('\n').length < 130)
  const code = [...readme.matchAll(/```\w*\n([\s\S]*?)```/g)].flatMap(([, lines = '']) => lines.split('\n'))

  t.strictSame(
    code.filter(line => line.length > 100),
    [],
  )
})

t.test('the README has a picture, light and dark, of less than 200 kB together', async t => {
  const pictures = [...readme.matchAll(/(?:src|srcset)="(docs\/pictures\/[^"]+)"/g)].map(([, path]) => path!)

  t.strictSame(pictures.sort(), ['docs/pictures/console-dark.webp', 'docs/pictures/console-light.webp'])
  t.strictSame(globSync('docs/pictures/*').sort(), pictures, 'and no other is kept')
  t.ok(pictures.reduce((sum, path) => sum + statSync(path).size, 0) < 200_000)
  for (const path of pictures) t.equal(readFileSync(path).toString('latin1', 8, 12), 'WEBP')
  t.match(
    readme,
    /<source media="\(prefers-color-scheme: dark\)" srcset="[^"]*-dark\.webp">\n *<img src="[^"]*" alt="[^"]+">/,
  )
})

const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> }
const readScripts = (text: string) =>
  new Set([...text.matchAll(/npm (?:run )?(?:--silent )?(test(?::\w+)?|check|bench:turns)\b/g)].map(found => found[1]!))

t.test('CONTRIBUTING.md says what CI runs, and nothing else', async t => {
  const [, block = ''] = /CI runs[^\n]*\n\n```sh\n([\s\S]*?)```/.exec(readFileSync('CONTRIBUTING.md', 'utf8')) ?? []
  const said = [...readScripts(block)].filter(name => name in scripts)
  const ran = readScripts(readFileSync('.ci/run', 'utf8').replace(/^\s*#.*$/gm, ''))

  t.ok(ran.size >= 5)
  t.strictSame(said.sort(), [...ran].sort())
})

t.test('CONTRIBUTING.md names every script that tests or measures', async t => {
  const page = readFileSync('CONTRIBUTING.md', 'utf8')
  const own = Object.keys(scripts).filter(name => /^(?:test|check|coverage|bench|chaos|attack|conformance)/.test(name))

  t.strictSame(
    own.filter(name => !page.includes(`npm ${name === 'test' ? '' : 'run '}${name}`)),
    [],
  )
})
