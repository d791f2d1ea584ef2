// The examples of docs/guides/testing.md pass in a project that has installed the package.
import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { installPacked, packedEnv } from '../../../../../test/support/packed-package.ts'
import { tempFolder } from '../../../../../test/support/tools-folder.ts'

const EXAMPLES = 'test/support/examples/testing'

/** A project with the packed package among its dependencies. */
function project(t: Test): string {
  const { path: folder } = tempFolder(t, { 'package.json': '{"type":"module"}' })
  installPacked(t, folder)
  return folder
}

const run = (folder: string, args: readonly string[]) =>
  spawnSync(process.execPath, args, { cwd: folder, env: packedEnv, encoding: 'utf8', timeout: 240_000 })

t.test('the examples of docs/guides/testing.md pass beside the tools that they test', async t => {
  const folder = project(t)
  const tools = join(folder, 'tools')
  mkdirSync(tools)
  copyFileSync(`${EXAMPLES}/cancel-order.ts`, join(tools, 'cancel-order.ts'))
  const tests = readdirSync(EXAMPLES).filter(name => name !== 'cancel-order.ts')
  for (const name of tests) copyFileSync(join(EXAMPLES, name), join(tools, name.replace('.ts', '.test.ts')))

  const { status, stdout } = run(folder, ['--test', '--test-reporter=tap', 'tools/*.test.ts'])

  t.equal(status, 0, stdout)
  t.match(stdout, /^# pass 6$/m)
  t.match(JSON.parse(readFileSync(join(folder, 'tools.contract.json'), 'utf8')), { tools: { cancel_order: {} } })
})

t.test('a test, the tools of a folder and toolrack/testing share one copy of the package', async t => {
  const folder = project(t)
  mkdirSync(join(folder, 'tools'))
  writeFileSync(
    join(folder, 'tools', 'same.js'),
    `import * as toolrack from 'toolrack'
import * as testing from 'toolrack/testing'
export default toolrack.defineTool({
  name: 'same',
  handler() {
    const { toolrack: own, testing: ownTesting } = globalThis.ofTest
    throw new own.ToolError([own.ToolError === toolrack.ToolError, ownTesting.testTools === testing.testTools].join())
  },
})`,
  )
  const code = `import * as toolrack from 'toolrack'
import * as testing from 'toolrack/testing'
globalThis.ofTest = { toolrack, testing }
const tools = await testing.testTools('tools', { settings: { errorMessages: 'tool-errors' } })
console.log((await tools.call('same')).text)
await tools.close()`

  const { stdout, stderr } = run(folder, ['--input-type=module', '--eval', code])

  t.equal(stderr, '')
  t.equal(stdout, 'true,true\n')
})
