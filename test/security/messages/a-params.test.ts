// Parameters that a tool mirrors into headers: both agree, or the call is refused.
import t from 'tap'
import { defineTool } from '../../../src/index.ts'
import { type Attack, echoCall, refuses, serves, target } from '../../support/security/probe.ts'

type Headers = NonNullable<Attack['headers']>

const MISMATCH = { status: 400, code: -32020 }

const regional = defineTool({
  name: 'echo',
  inputSchema: {
    type: 'object',
    properties: {
      region: { type: ['string', 'null'] },
      where: { type: 'string', 'x-mcp-header': 'Region' },
      count: { type: 'integer', 'x-mcp-header': 'Count' },
      force: { type: 'boolean', 'x-mcp-header': 'Force' },
      deep: { type: 'object', properties: { inner: { type: 'string', 'x-mcp-header': 'Inner' } } },
    },
  },
  handler: args => args,
})

t.test('A26: a mirrored parameter and its header agree as the table of the transport says', async t => {
  const app = await target(t, { tools: [regional] })
  const cases: [args: object | undefined, headers: Headers, isServed: boolean][] = [
    [{ where: 'us-west1' }, { 'mcp-param-region': 'us-west1' }, true],
    [{ where: 'us-west1' }, { 'MCP-PARAM-REGION': 'us-west1' }, true],
    [{ where: 'us-west1' }, {}, false],
    [{ where: 'us-west1' }, { 'mcp-param-region': 'US-west1' }, false],
    [{ where: 'us-west1' }, { 'mcp-param-region': ['us-west1', 'us-west1'] }, false],
    [{ where: '' }, { 'mcp-param-region': '' }, true],
    [{ where: '' }, {}, false],
    [{ where: 'Hello, 世界' }, { 'mcp-param-region': '=?base64?SGVsbG8sIOS4lueVjA==?=' }, true],
    [{ where: 'x' }, { 'mcp-param-region': '=?base64?eA?=' }, false],
    [{}, {}, true],
    [undefined, {}, true],
    [{}, { 'mcp-param-region': 'us-west1' }, false],
    [{ where: null }, { 'mcp-param-region': 'null' }, false],
    [{ count: 42 }, { 'mcp-param-count': '42' }, true],
    [{ count: 42 }, { 'mcp-param-count': '42.0' }, true],
    [{ count: 42 }, { 'mcp-param-count': '43' }, false],
    [{ count: 42 }, { 'mcp-param-count': '0x2a' }, false],
    [{ count: 42 }, { 'mcp-param-count': '4.2e1' }, false],
    [{ count: 0 }, { 'mcp-param-count': '' }, false],
    [{ count: 0 }, {}, false],
    [{ count: -7 }, { 'mcp-param-count': '-7' }, true],
    [{ force: true }, { 'mcp-param-force': 'true' }, true],
    [{ force: true }, { 'mcp-param-force': 'TRUE' }, false],
    [{ force: false }, {}, false],
    [{ deep: { inner: 'a' } }, { 'mcp-param-inner': 'a' }, true],
    [{ deep: { inner: 'a' } }, {}, false],
    [{ deep: {} }, { 'mcp-param-inner': 'a' }, false],
    [{}, { 'mcp-param-other': 'ignored' }, true],
  ]

  for (const [args, headers, isServed] of cases) {
    const body = echoCall(args)
    if (isServed) await serves(t, app, headers, body)
    else await refuses(t, app, headers, MISMATCH, body)
  }
})

t.test('A26: a parameter that is null is invalid by its schema, not by its header', async t => {
  const app = await target(t, { tools: [regional] })

  const { message } = await serves(t, app, {}, echoCall({ where: null }))

  t.match(message?.result, { isError: true })
})
