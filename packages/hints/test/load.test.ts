// Hints for mistakes are read when a definition is refused, and never by a start without mistakes.
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import t from 'tap'

/** Prints the files of the hints that are loaded until the server is ready, or refuses the tool. */
const script = (tool: string) => `
  import { registerHooks } from 'node:module'
  const loaded = []
  const ALWAYS = ['hints', 'load']
  registerHooks({ load: (url, context, next) => {
    const [, name] = /packages\\/hints\\/src\\/([\\w-]+)\\.ts/.exec(url) ?? []
    if (name !== undefined && !ALWAYS.includes(name)) loaded.push(name)
    return next(url, context)
  } })
  const { createServer } = await import(${JSON.stringify(new URL('../../../src/index.ts', import.meta.url))})
  const error = await createServer({ logLevel: 'silent', tools: [${tool}] }).then(app => app.ready().then(() => app.close()), error => error)
  console.log(JSON.stringify({ loaded, message: error?.message }))
`

async function start(tool: string): Promise<{ loaded: readonly string[]; message?: string }> {
  const run = promisify(execFile)
  const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', script(tool)])
  return JSON.parse(stdout)
}

t.test('a start without mistakes loads no hint', async t => {
  t.strictSame(await start(`{ name: 'a', description: 'A tool.', handler: () => '' }`), { loaded: [] })
})

t.test('a refused definition says what to write instead', async t => {
  const { loaded, message } = await start(`{ name: 'a', description: 'A tool.', handle: () => '' }`)
  t.ok(loaded.includes('explain'))
  t.match(message, 'rename handle to handler')
})
