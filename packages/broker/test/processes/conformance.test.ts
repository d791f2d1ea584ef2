// The authorization suite of the official conformance program against the broker, with a person who signs in.
import { spawn } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import t from 'tap'
import { until } from '../../../../test/support/eventually.ts'
import { freePort } from '../../../../test/support/free-port.ts'
import { RESOURCE, registered, startBroker } from '../support/broker.ts'

const PROGRAM = resolve('node_modules/@modelcontextprotocol/conformance/dist/index.js')

interface Check {
  readonly id: string
  readonly status: string
  readonly errorMessage?: string
}

t.test('broker: every check of the authorization suite succeeds', async t => {
  const broker = await startBroker(t)
  const port = await freePort()
  const callback = `http://127.0.0.1:${port}/callback`
  const clientId = await registered(broker, { redirect_uris: [callback] })
  const folder = t.testdir({})
  const options = [
    '--url',
    broker.url,
    '--client-id',
    clientId,
    '--resource',
    RESOURCE,
    '-p',
    String(port),
    '-o',
    folder,
  ]
  const program = spawn(process.execPath, [PROGRAM, 'authorization', ...options], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  t.teardown(() => program.kill())
  let output = ''
  program.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text
  })
  const findUrl = () => output.split('\n').find(line => line.startsWith(`${broker.url}/authorize?`))

  await until(() => findUrl() !== undefined || program.exitCode !== null, 'the suite asks a person to sign in')
  const end = await broker.browser().authorize(findUrl()!, { account: 'alice' })
  if (!('left' in end)) throw new Error(`still at ${end.url}`)
  await (await fetch(end.left)).text()
  await until(() => program.exitCode !== null, 'the suite has ended')

  t.equal(program.exitCode, 0)
  const found = (
    await Promise.all((await readdir(folder)).map(name => readFile(join(folder, name, 'checks.json'), 'utf8')))
  )
    .flatMap(json => JSON.parse(json) as Check[])
    .map(({ id, status, errorMessage = '' }) => [id, status, errorMessage].join(' ').trim())
  t.strictSame(found.sort(), [
    'authorization-code-grant SUCCESS',
    'authorization-server-metadata SUCCESS',
    'authorization-server-metadata-cimd SUCCESS',
  ])
})
