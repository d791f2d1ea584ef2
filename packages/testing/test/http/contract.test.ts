// expectContract: the tools are kept in a file, and a change that breaks callers fails the test.
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { defineTool, Type } from '../../../../src/index.ts'
import { tempFolder } from '../../../../test/support/tools-folder.ts'
import { ContractError, expectContract, type TestOptions, testTools } from '../../src/index.ts'

/** The environment of these tests, whatever that of the process is. */
function environment(t: Test, variables: { CI?: string; UPDATE_CONTRACT?: string }): void {
  for (const name of ['CI', 'UPDATE_CONTRACT'] as const) {
    const before = process.env[name]
    t.teardown(() => {
      if (before === undefined) delete process.env[name]
      else process.env[name] = before
    })
    process.env[name] = variables[name] ?? ''
  }
}

interface Version {
  readonly fields?: Record<string, ReturnType<typeof Type.String>>
  readonly description?: string
  readonly scopes?: string[]
}

async function pay(t: Test, { fields = {}, description = 'Pays.', scopes }: Version = {}) {
  const tools = await testTools(
    defineTool({
      name: 'pay',
      description,
      inputSchema: Type.Object(fields),
      task: 'optional',
      scopes,
      icons: [{ src: 'https://shop.example/pay.png' }],
      handler: () => 'paid',
    }),
  )
  t.teardown(() => tools.close())
  return tools
}

const order = { order: Type.String() }

t.test('a missing file is written, sorted and with what lists do not show', async t => {
  environment(t, {})
  const file = join(tempFolder(t).path, 'contracts', 'tools.contract.json')

  await expectContract(await pay(t, { fields: order, scopes: ['pay:write', 'orders:read'] }), file)

  const text = readFileSync(file, 'utf8')
  t.ok(text.endsWith('}\n'))
  t.equal(
    text,
    `${JSON.stringify(
      {
        tools: {
          pay: {
            description: 'Pays.',
            inputSchema: { properties: { order: { type: 'string' } }, required: ['order'], type: 'object' },
            scopes: ['orders:read', 'pay:write'],
            taskSupport: 'optional',
          },
        },
      },
      undefined,
      2,
    )}\n`,
  )
})

t.test('in CI a missing file is refused, and nothing is written', async t => {
  environment(t, { CI: 'true' })
  const file = join(tempFolder(t).path, 'tools.contract.json')

  await t.rejects(expectContract(await pay(t), file), { message: /is missing: run the tests outside of CI/ })
  t.equal(existsSync(file), false)
})

t.test('what harms nobody passes, and is written outside of CI only', async t => {
  const file = join(tempFolder(t).path, 'tools.contract.json')
  environment(t, {})
  await expectContract(await pay(t, { fields: order }), file)
  const before = readFileSync(file, 'utf8')
  const { mtimeNs } = statSync(file, { bigint: true })
  await expectContract(await pay(t, { fields: order }), file)
  t.equal(statSync(file, { bigint: true }).mtimeNs, mtimeNs, 'the same is not written again')
  const changed = await pay(t, { fields: order, description: 'Pays an order.' })

  environment(t, { CI: '1' })
  await expectContract(changed, file)
  t.equal(readFileSync(file, 'utf8'), before)

  environment(t, { CI: 'false' })
  await expectContract(changed, file)
  t.match(readFileSync(file, 'utf8'), 'Pays an order.')
})

t.test('what breaks callers fails with every break, and leaves the file, until it is updated', async t => {
  environment(t, {})
  const file = join(tempFolder(t).path, 'tools.contract.json')
  await expectContract(await pay(t), file)
  const before = readFileSync(file, 'utf8')
  const broken = await pay(t, { fields: order, scopes: ['pay:write'] })

  const error = await expectContract(broken, file).catch(thrown => thrown)

  t.type(error, ContractError)
  t.strictSame(error.breaks, ['pay: the argument order is required now.', 'pay: callers need the scope pay:write now.'])
  t.match(error.message, /callers break:\n- pay: the argument order is required now\.\n- [^\n]+\n.*UPDATE_CONTRACT=1/)
  t.equal(readFileSync(file, 'utf8'), before)

  environment(t, { CI: '1', UPDATE_CONTRACT: '1' })
  await expectContract(broken, file)
  t.match(readFileSync(file, 'utf8'), 'pay:write')
})

t.test('a tool that lacks a variable is named, and no contract is written without it', async t => {
  const { path } = tempFolder(t)
  const [file, other] = [join(path, 'tools.contract.json'), join(path, 'other.json')]
  const needy = { name: 'needy', description: 'Pays.', requires: ['CONTRACT_TEST_KEY'], handler: () => '' }
  const use = async (options?: TestOptions) => {
    const tools = await testTools([needy, { name: 'other', handler: () => '' }], options)
    t.teardown(() => tools.close())
    return tools
  }
  environment(t, {})
  process.env['CONTRACT_TEST_KEY'] = '1'
  await expectContract(await use(), file)
  delete process.env['CONTRACT_TEST_KEY']
  const before = readFileSync(file, 'utf8')

  environment(t, { UPDATE_CONTRACT: '1' })
  for (const each of [file, other])
    await t.rejects(expectContract(await use(), each), {
      message: /\n- needy: it needs CONTRACT_TEST_KEY\n.*toolsExclude: 'needy'/,
    })
  t.equal(readFileSync(file, 'utf8'), before)
  t.equal(existsSync(other), false)

  await expectContract(await use({ settings: { toolsExclude: 'needy' } }), other)
  t.notMatch(readFileSync(other, 'utf8'), 'needy')
})

t.test('a file that is no contract is refused', async t => {
  environment(t, {})
  const { path } = tempFolder(t, { 'tools.contract.json': '{"tools":{"pay":{}}}' })
  const file = join(path, 'tools.contract.json')

  await t.rejects(expectContract(await pay(t), file), { message: /is not a contract: expected/ })
  writeFileSync(file, '<<<<<<< HEAD')
  await t.rejects(expectContract(await pay(t), file), { message: /tools\.contract\.json is not a contract: .*JSON/ })
})

t.test('a byte order mark that an editor has put before the contract changes nothing', async t => {
  const file = join(tempFolder(t).path, 'tools.contract.json')
  environment(t, {})
  await expectContract(await pay(t), file)
  writeFileSync(file, `\ufeff${readFileSync(file, 'utf8')}`)
  environment(t, { CI: '1' })

  await expectContract(await pay(t), file)
  await t.rejects(expectContract(await pay(t, { scopes: ['a'] }), file), ContractError)
})
