// `toolrack doctor` against lists and definitions that clients refuse, and how it reports them.
import t, { type Test } from 'tap'
import { fakeServer, INITIALIZED, sendJson } from '../../../../../test/support/broken-servers.ts'
import { noTerminal, runOnTerminal, toPlainText } from '../../../../../test/support/command-line.ts'
import { type Row, testRows } from '../../../../../test/support/doctor-faults.ts'

// Many processes, one after the other.
t.setTimeout(900_000)

const TOOL = { name: 'one', description: 'Does it.', inputSchema: { type: 'object' } }

const withTools = (t: Test, ...listed: readonly object[]) =>
  fakeServer(t, {
    'tools/list': () => ({
      tools: listed.map((tool, index) => ({
        name: `tool_${index}`,
        description: 'Does it.',
        inputSchema: { type: 'object' },
        ...tool,
      })),
    }),
  })
const withProperties = (t: Test, properties: object) => withTools(t, { inputSchema: { type: 'object', properties } })

const ROWS: readonly Row[] = [
  {
    name: 'tools/list takes seconds',
    start: t =>
      fakeServer(t, {}, ({ message, response }) => {
        if (message.method !== 'tools/list') return false
        setTimeout(() => sendJson(response, 200, { jsonrpc: '2.0', id: message.id, result: { tools: [] } }), 3200)
        return true
      }),
    id: 'slow-list',
    severity: 'warning',
    cause: /^tools\/list takes 3\.\d s$/,
    fix: /list from memory/,
  },
  {
    name: 'tools/list is never answered',
    start: t => fakeServer(t, {}, ({ message }) => message.method === 'tools/list'),
    id: 'silent-list',
    cause: /^page 1 of tools\/list does not come within 10 s$/,
    fix: /list from memory/,
  },
  {
    name: 'a property has a name that clients refuse',
    start: t => withProperties(t, { 'filter[state]': { type: 'string' } }),
    id: 'property-name',
    cause: /^tool_0\.filter\[state\]: the name of a property does not match/,
    fix: /rename it/,
  },
  {
    name: 'a schema has prefixItems',
    start: t => withProperties(t, { at: { type: 'array', prefixItems: [{ type: 'number' }, { type: 'number' }] } }),
    id: 'tuple',
    severity: 'warning',
    cause: /^tool_0\.at: a list with a schema for each place \(prefixItems\)$/,
    fix: /an object with a property for each place/,
  },
  {
    name: 'an enum has numbers',
    start: t => withProperties(t, { base: { type: 'integer', enum: [2, 8, 16] } }),
    id: 'numeric-enum',
    severity: 'warning',
    cause: /^tool_0\.base: enum has numbers$/,
    fix: /use texts/,
  },
  {
    name: 'a reference leads nowhere',
    start: t => withProperties(t, { a: { $ref: '#/$defs/Order' } }),
    id: 'dangling-reference',
    cause: /^tool_0\.a: \$ref to a definition that is not there$/,
    fix: /\$defs/,
  },
  {
    name: 'a schema does not compile',
    start: t => withProperties(t, { a: { type: 'text' } }),
    id: 'invalid-schema',
    cause: /^tool_0\.properties\.a\.type: inputSchema is not valid JSON Schema 2020-12$/,
    fix: /draft 2020-12/,
  },
  {
    name: 'a tool begins with a digit',
    start: t => withTools(t, { name: '2fa_check' }),
    id: 'tool-name-start',
    severity: 'warning',
    cause: /^2fa_check: the name begins with neither a letter nor _$/,
    fix: /rename/,
  },
  {
    name: 'a description is longer than clients show',
    start: t => withTools(t, { description: 'x'.repeat(2049) }),
    id: 'long-description',
    severity: 'warning',
    cause: /^tool_0: the description is longer than 2048 characters$/,
    fix: /begin with what matters most/,
  },
  {
    name: 'a tool has null members',
    start: t => withTools(t, { annotations: null }),
    id: 'null-member',
    cause: /^tool_0: annotations is null$/,
    fix: /leave the member away/,
  },
  {
    name: 'nextCursor is null',
    start: t => fakeServer(t, { 'tools/list': () => ({ tools: [TOOL], nextCursor: null }) }),
    id: 'null-cursor',
    cause: /^tools\/list: nextCursor is null$/,
    fix: /leave nextCursor away/,
  },
  {
    name: 'nextCursor is empty',
    start: t => fakeServer(t, { 'tools/list': () => ({ tools: [TOOL], nextCursor: '' }) }),
    id: 'empty-cursor',
    cause: /^tools\/list: nextCursor is an empty text$/,
    fix: /leave nextCursor away/,
  },
  {
    name: 'cursors are given and not obeyed',
    start: t => fakeServer(t, { 'tools/list': ({ count }) => ({ tools: [TOOL], nextCursor: String(count) }) }),
    id: 'ignored-cursor',
    cause: /^page 2 of tools\/list is page 1 once more$/,
    fix: /go on behind the cursor/,
  },
  {
    name: 'there are tools, and capabilities do not say so',
    start: t =>
      fakeServer(t, {
        initialize: () => ({ ...INITIALIZED, capabilities: {} }),
        'tools/list': () => ({ tools: [TOOL] }),
      }),
    id: 'undeclared-tools',
    cause: /^tools\/list has 1 tool, and capabilities do not declare tools$/,
    fix: /declare capabilities\.tools/,
  },
]

testRows(t, ROWS)

t.test('on a terminal a passed check is one line, and a fault says whom it hurts', { skip: noTerminal }, async t => {
  const url = await withProperties(t, { 'filter[state]': { type: 'string' } })

  const options = { columns: 80, env: { NO_COLOR: undefined } }
  const { code, stdout } = await runOnTerminal(t, ['doctor', url, '--timeout', '5m'], options)

  t.equal(code, 1)
  t.match(stdout, '\x1b[31mPROBLEM\x1b[39m')
  const lines = toPlainText(stdout).split('\n')
  t.strictSame(
    lines.filter(line => line.length > 80),
    [],
  )
  const passed = lines.filter(line => line.startsWith('ok')).map(line => line.split(/ +/)[1])
  t.strictSame(passed, [...new Set(passed)])
  const start = lines.findIndex(line => line.startsWith('PROBLEM'))
  t.match(lines.slice(start, start + 5).join('\n'), PARAGRAPH)
  t.equal(lines.at(-2), `1 problem, 3 warnings: ${url}`)
})

const PARAGRAPH = `
PROBLEM  lists      tool_0.filter[state]: the name of a property does not
                    match ^[a-zA-Z0-9_.-]{1,64}$
                    Anthropic services (Claude, Claude Code) refuse each
                    request that has the tool in it: the model gets no tools.
                    → rename it; at most 64 of a-z A-Z 0-9 _ . -
`.trim()
