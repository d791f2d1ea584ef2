// What of an error a log gets: never what a library was asked to do.

import { execFileSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { Writable } from 'node:stream'
import t from 'tap'
import { createLogger } from '../../../src/observability/logger.ts'
import { toLogged, toReason } from '../../../src/text/logged-error.ts'

/** As ioredis makes one. */
class ReplyError extends Error {
  override name = 'ReplyError'
  command = { name: 'set', args: ['key', '{"client_secret":"hunter2"}'] }
}

/** One line of the log, as the server writes it. */
function logged(error: unknown): string {
  let text = ''
  const stream = new Writable({
    write(chunk, _, done) {
      text += chunk
      done()
    },
  })
  createLogger({ level: 'info', stream }).error({ err: error }, 'internal error')
  return text
}

t.test('O4: the arguments of a command are not in the log, neither of an error nor of its causes', async t => {
  const error = new ReplyError("OOM command not allowed when used memory > 'maxmemory'.")
  const line = logged(error)

  t.notMatch(line, 'hunter2')
  t.match(JSON.parse(line).err, { type: 'ReplyError', message: /^OOM/, stack: /^ReplyError: OOM.*\n +at / })
  for (const outer of [
    new Error('not stored', { cause: error }),
    new AggregateError([error, new Error('b')], 'both'),
    new Error('deep', { cause: new Error('in', { cause: error }) }),
  ]) {
    t.notMatch(logged(outer), 'hunter2')
    t.match(logged(outer), 'OOM command not allowed')
  }
})

t.test('O4: texts that quote what they were given say the rest', async t => {
  t.equal(
    toReason(new Error("ERR unknown command 'getdel', with args beginning with: 'broker:Client:a' 'hunter2' ")),
    "ERR unknown command 'getdel'",
  )
  try {
    JSON.parse('hunter2')
  } catch (error) {
    t.equal(toReason(error), 'the text is not valid JSON')
    t.notMatch(logged(error), 'hunter2')
  }
  try {
    new URL('redis//:hunter2@host')
  } catch (error) {
    t.notMatch(logged(error), 'hunter2')
    t.match(toLogged(error), { name: 'TypeError', code: 'ERR_INVALID_URL' })
  }
})

t.test('what fetch and commands quote of what they were given is left out', async t => {
  const secret = 'hunter2'
  const given: readonly [what: string, ask: () => unknown][] = [
    ['Headers.append: an invalid header value', () => fetch('http://x', { headers: { a: `${secret}\nx` } })],
    ['Headers.set: an invalid header name', () => new Headers().set(`${secret} x`, '')],
    ['Failed to parse URL', () => fetch(`no url ${secret}`)],
    [
      'Request cannot be constructed from a URL that includes credentials',
      () => fetch(`http://ann:${secret}@127.0.0.1`),
    ],
    ['Command failed', () => execFileSync(process.execPath, ['-e', 'process.exit(1)', secret], { stdio: 'ignore' })],
  ]
  for (const [what, ask] of given) {
    const error = (await (async () => ask())().catch(thrown => thrown)) as Error

    t.match(error.message, secret)
    t.equal(toReason(error), what)
    t.notMatch(toLogged(error).stack, secret)
  }
})

t.test('whatever was thrown has a text', async t => {
  for (const thrown of [
    'text',
    42,
    null,
    undefined,
    {},
    new Proxy(
      {},
      {
        get: () => {
          throw new Error('no')
        },
      },
    ),
  ])
    t.type(toLogged(thrown).message, 'string')
})

// A host app brings a logger of its own, so the copy is made where an error is logged.
t.test('O4: each place that logs an error logs a copy', async t => {
  for (const file of globSync('{src,plugins,routes}/**/*.ts'))
    t.notMatch(readFileSync(file, 'utf8'), /\.(?:debug|info|warn|error|fatal)\(\{ err(?:,| \}|: (?!toLogged\())/, file)
})
