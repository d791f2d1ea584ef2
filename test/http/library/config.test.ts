// The settings: each from the environment and as an option, its default, and what is refused by its name.
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import Fastify from 'fastify'
import t from 'tap'
import { readEnvironment } from '../../../packages/environment/src/read.ts'
import { resolveOptions, resolveSettings } from '../../../src/config/options.ts'
import { readOptions } from '../../../src/config/read-options.ts'
import { toKey } from '../../../src/config/setting-row.ts'
import { optionName, SETTINGS } from '../../../src/config/settings.ts'
import { createServer, toolrack } from '../../../src/index.ts'
import { serverProgram } from '../../support/servers/program.ts'

interface Case {
  /** What it is where nothing is said. */
  fallback?: unknown
  /** Text of the environment → value. */
  texts?: Record<string, unknown>
  /** What programs give beside the values of the texts → themselves. */
  values?: readonly unknown[]
  wrong: readonly unknown[]
}

/** `rateLimit.max`, 5 → `{ rateLimit: { max: 5 } }`. */
function toOptions(path: string, value: unknown): Record<string, unknown> {
  const [name, member] = path.split('.') as [string, string?]
  return { [name]: member === undefined ? value : { [member]: value } }
}

const SECRET = 'x'.repeat(32)
const NO_NUMBERS = ['x', '1x', '-1', '1.5', ' 1', '1e3', '0x10', Number.NaN, 1.5, -1, true, null, [], {}]
const number = (fallback: number, few: number, tooMany: number): Case => ({
  fallback,
  texts: { [few]: few },
  values: [few],
  wrong: [...NO_NUMBERS, few - 1, tooMany, String(tooMany)],
})
const flag: Case = {
  texts: { true: true, false: false },
  values: [true, false],
  wrong: ['yes', '1', '0', 'TRUE', 1, 0, null, []],
}

// Each setting as docs/reference/settings.md has it.
const globTexts = { 'get_*, query_database': ['get_*', 'query_database'], '[a-c]?.x': ['[a-c]?.x'] }
const wrongGlobs = [' ,', 'a/b', '{a,b}', 'get *', 'é', 7, null, [], [7], {}]

const CASES: Record<keyof typeof SETTINGS, Case> = {
  HOST: {
    fallback: '127.0.0.1',
    texts: { '0.0.0.0': '0.0.0.0', '::1': '::1', 'fe80::1%eth0': 'fe80::1%eth0', 'rack-1.example': 'rack-1.example' },
    wrong: ['256.1.1.1', 'a b', 'a\nb', '[::1]', '127.0.0.1:80', 'http://a', 'u@a', 'a/b', '*', 7, null, [], {}],
  },
  PORT: { ...number(3000, 0, 65_536), texts: { 0: 0, 65535: 65_535 } },
  MCP_PATH: {
    fallback: '/mcp',
    texts: { '/': '/', '/a/b-c_d.e': '/a/b-c_d.e', '/sse': '/sse', '/.mcp': '/.mcp' },
    wrong: [
      'mcp',
      '/..',
      '/../mcp',
      '/a/./b',
      '//mcp',
      '/a//b',
      '/a b',
      '/:id',
      '/*',
      '/mcp?x',
      '/mcp#x',
      '/é',
      'http://x/mcp',
      7,
    ],
  },
  PUBLIC_URL: {
    fallback: undefined,
    texts: { 'https://tools.example/mcp': 'https://tools.example/mcp' },
    wrong: [
      'tools.example',
      '/mcp',
      'ftp://x',
      'file:///x',
      'https://user@x',
      'https://:word@x',
      'https:\\\\x\\mcp',
      'https://x/#a',
      'http://',
      ' https://x',
      'https://x/a\nb',
      'https://x/a b',
      7,
    ],
  },
  SERVER_NAME: { texts: { shop: 'shop' }, wrong: ['', 7, null, 'x'.repeat(129)] },
  SERVER_TITLE: { texts: { 'The shop': 'The shop' }, wrong: ['', 7, null, 'x'.repeat(201)] },
  SERVER_DESCRIPTION: { texts: { 'Sells.': 'Sells.' }, wrong: ['', 7, null, 'x'.repeat(1001)] },
  SERVER_WEBSITE_URL: {
    texts: {
      'https://acme.example/a?b#mcp': 'https://acme.example/a?b#mcp',
      'http://acme.example': 'http://acme.example',
    },
    wrong: ['', 7, null, 'acme.example', 'javascript:alert(1)', 'https://u:p@acme.example', 'https://a.example/#b c'],
  },
  SERVER_VERSION: { texts: { '1.2.3': '1.2.3' }, wrong: ['', 7, null, 'x'.repeat(65)] },
  SERVER_ICON: { texts: { './icon.svg': './icon.svg' }, wrong: ['', 7, null, []] },
  EXTENSIONS: {
    texts: {
      'com.example/a, com.example/b': { 'com.example/a': {}, 'com.example/b': {} },
      'io.modelcontextprotocol/ui': { 'io.modelcontextprotocol/ui': {} },
      ' {"com.example/ui":{"v":1}}': { 'com.example/ui': { v: 1 } },
    },
    values: [{ 'com.example/ui': { v: 1, list: ['é'] } }, {}],
    wrong: [
      '',
      'name',
      '/name',
      'com.example/',
      '1a/b',
      'a..b/c',
      'a/b c',
      'io.modelcontextprotocol/tasks',
      '{"a/b":1}',
      '{"a/b":{},"a/b":{}}',
      '{',
      7,
      null,
      ['name'],
      [{}],
      { name: {} },
      { 'a/b': [] },
      { 'a/b': { at: 1n } },
      { 'a/b': { text: 'x'.repeat(8192) } },
    ],
  },
  INSTRUCTIONS_FILE: { texts: { './about.md': './about.md' }, wrong: ['', 7, null, []] },
  INSTRUCTIONS: { texts: { 'Ask first.': 'Ask first.' }, wrong: ['', 7, null, 'x'.repeat(8193)] },
  CLIENT_LOGGING: { ...flag, fallback: true },
  TOOLS_DIR: {
    fallback: ['./tools'],
    texts: { '/srv/tools': ['/srv/tools'], 'a, b': ['a', 'b'] },
    values: [['a,b', 'c'], Array(20).fill('a')],
    wrong: [7, null, [], [''], [7], ',', Array(21).fill('a')],
  },
  TOOLS_STRICT: { ...flag, fallback: undefined },
  SAMPLES: { ...flag, fallback: false },
  TOOLS_INCLUDE: { fallback: undefined, texts: globTexts, values: [['get_*']], wrong: wrongGlobs },
  TOOLS_EXCLUDE: { fallback: undefined, texts: globTexts, values: [['get_*']], wrong: wrongGlobs },
  WATCH_TOOLS: { ...flag, fallback: undefined },
  LOG_LEVEL: {
    fallback: 'info',
    texts: { debug: 'debug', silent: 'silent' },
    wrong: ['loud', 'INFO', 30, '__proto__', 'constructor'],
  },
  JWT_SECRET: { fallback: undefined, texts: { [SECRET]: SECRET }, wrong: ['x'.repeat(31), 7, null, [], {}] },
  // Alone each of these is refused, since it needs another (test/http/auth/settings.test.ts).
  JWT_JWKS_URL: { fallback: undefined, wrong: ['http://as.example/jwks', 'as.example', 'file:///jwks', 7, []] },
  JWT_ALGORITHMS: { fallback: undefined, wrong: ['none', 'RS256,none', 'rs256', 'HS512', ',', 7, null, [], [7]] },
  JWT_ISSUER: {
    fallback: undefined,
    wrong: [
      'https://login.microsoftonline.com/{tenantid}/v2.0',
      'https://login.microsoftonline.com/common/v2.0',
      ',',
      7,
      null,
      [],
      [7],
    ],
  },
  JWT_AUDIENCE: { fallback: undefined, wrong: [',', 'a\nb', 7, null, [], [7]] },
  JWT_AUDIENCE_OPTIONAL: { fallback: undefined, wrong: ['yes', 1, null] },
  JWT_REQUIRED_CLAIMS: {
    fallback: undefined,
    wrong: [',', 'a', 'a=', '=b', 'a=*', 'a=b|', 'a=b,a=c', 7, null, [], {}, { a: [] }, { a: 7 }],
  },
  JWT_CLIENT_IDS: { fallback: undefined, wrong: [',', 'a\nb', 7, null, [], [7]] },
  JWT_SCOPE_CLAIMS: { fallback: undefined, wrong: [',', 'a b', '=a', 'a=é', 'a=b,a=c', 7, null, [], {}] },
  JWT_SCOPE_PREFIX: { fallback: undefined, wrong: ['a b', 'é', '"', 7, null, []] },
  JWT_CLAIMS: { fallback: undefined, wrong: [',', 'a b', 'a=', '=a', 'a=b,a=c', 'constructor', 7, null, [], {}] },
  ISSUERS_FILE: { fallback: undefined, wrong: [7, null, []] },
  API_KEYS_FILE: { fallback: undefined, wrong: [7, null, []] },
  AUTHORIZATION_SERVERS: {
    fallback: undefined,
    texts: { 'https://a.example, https://b.example/x': ['https://a.example', 'https://b.example/x'] },
    values: [['https://a.example']],
    wrong: ['a.example', 'ftp://a', 7, [7]],
  },
  TOKEN_EXCHANGE_URL: { fallback: undefined, wrong: ['http://as.example/token', 'as.example', 7, null, [], {}] },
  TOKEN_EXCHANGE_CLIENT_ID: { fallback: undefined, wrong: [7, null, [], {}] },
  TOKEN_EXCHANGE_CLIENT_SECRET: { fallback: undefined, wrong: ['short', 7, null, [], {}] },
  TOKEN_EXCHANGE_GRANT: { fallback: undefined, wrong: ['jwt', 'on_behalf_of', 7, null, [], {}] },
  SCOPES_SUPPORTED: {
    fallback: undefined,
    texts: { 'prices:read, web:read,prices:read': ['prices:read', 'web:read'], ',': [] },
    values: [['prices:read'], []],
    wrong: ['a b', 'a"b', 'é', 'a, offline_access', ['a b'], ['offline_access'], 7, null, [7], {}],
  },
  REQUIRED_SCOPES: { fallback: undefined, wrong: ['a b', 'é', 'offline_access', 7, null, [7], {}] },
  SCOPE_HIERARCHY: {
    fallback: undefined,
    texts: {
      'admin>write': new Map([
        ['admin', []],
        ['write', ['admin']],
      ]),
    },
    wrong: ['admin', 'a>', '>', 'a > "b"', 7, null],
  },
  SCOPE_DENIAL: { fallback: 'challenge', texts: { result: 'result' }, wrong: ['no', 'RESULT', 7] },
  ALLOW_ANONYMOUS: { ...flag, fallback: false },
  ALLOWED_ORIGINS: {
    fallback: undefined,
    texts: {
      'https://a.example, http://b:8080': ['https://a.example', 'http://b:8080'],
      'chrome-extension://abcdefghijklmnop,tauri://localhost': [
        'chrome-extension://abcdefghijklmnop',
        'tauri://localhost',
      ],
    },
    values: [['https://a.example'], [], ['moz-extension://', 'vscode-webview://', 'app://obsidian.md']],
    wrong: [
      ...['a.example', '*', 'null', 'https://a.example/', 'https://a.example/x', 'https://*.example', 7, [7], {}],
      ...['https://', 'http://', 'file://', 'file:///', 'tauri://localhost/', 'tauri://user@localhost', 'tauri://*'],
      ...['tauri:', 'Tauri://localhost', 'chrome-extension://a b', 'javascript:alert(1)', '://'],
    ],
  },
  ALLOWED_HOSTS: {
    fallback: undefined,
    texts: { 'A.example, b:8080 ,[::1]:9': ['a.example', 'b:8080', '[::1]:9'], '::1': ['::1'] },
    values: [['a.example'], []],
    wrong: ['https://a.example', 'a.example/x', 'a b', '*', 'a.example:x', 7, [null]],
  },
  TRUST_PROXY: {
    fallback: false,
    texts: { false: false, '127.0.0.1, 10.0.0.0/8': ['127.0.0.1', '10.0.0.0/8'], '::1': ['::1'] },
    values: [false, ['fd00::/8']],
    wrong: [
      'true',
      '1',
      'loopback',
      '*',
      '10.0.0.0/33',
      '10.0.0.0/0',
      '1.2.3',
      '10.0.0.0/8/8',
      true,
      1,
      0,
      [],
      [1],
      null,
    ],
  },
  RATE_LIMIT_MAX: { ...number(600, 1, 2 ** 53), wrong: [...NO_NUMBERS, 0, '0'] },
  RATE_LIMIT_CLAIM: { fallback: undefined, texts: { tenant: 'tenant' }, wrong: [7, null, []] },
  RATE_LIMIT_WINDOW: {
    fallback: 60_000,
    texts: { '1 minute': 60_000, '30s': 30_000, 1500: 1500 },
    values: [1000],
    wrong: ['soon', '0', '-1', 0, -5, Number.POSITIVE_INFINITY, Number.NaN, true, null, []],
  },
  // A program may write it in words, too (test/unit/config/read-options.test.ts).
  TOOL_TIMEOUT_MS: { ...number(30_000, 1, 600_001), wrong: ['x', '1x', '-1', 0, 600_001, 1.5, true, null, [], {}] },
  MAX_CONCURRENT_CALLS: number(256, 1, 1_000_001),
  MAX_QUEUED_CALLS: number(1024, 0, 1_000_001),
  MAX_BODY_BYTES: { ...number(1024 * 1024, 1024, 2 ** 30 + 1), texts: { 2048: 2048 } },
  MAX_RESULT_BYTES: { ...number(4 * 1024 * 1024, 1024, 2 ** 29 + 1), texts: { 2048: 2048 } },
  PAGE_SIZE: number(1000, 1, 10_001),
  LIST_TTL_MS: number(60_000, 0, 2 ** 31),
  SESSIONS: {
    fallback: 'optional',
    texts: { required: 'required', optional: 'optional' },
    values: ['required'],
    wrong: ['yes', 'none', true, 1, null],
  },
  SESSION_TTL_MS: { ...number(3_600_000, 1000, 2 ** 31), texts: { 1000: 1000 } },
  TASK_INLINE_MS: number(2000, 0, 60_001),
  TASK_TTL_MS: number(3_600_000, 1000, 86_400_001),
  TASK_FALLBACK_TOOLS: { ...flag, fallback: false },
  STATE_SECRET: { fallback: undefined, texts: { [SECRET]: SECRET }, wrong: ['x'.repeat(31), 7, null, {}] },
  STATE_SECRET_PREVIOUS: { fallback: undefined, texts: { [SECRET]: SECRET }, wrong: ['x'.repeat(31), 7, null] },
  STATE: {
    fallback: undefined,
    texts: { memory: 'memory', 'sqlite:./toolrack.db': 'sqlite:./toolrack.db', 'sqlite:///a/b': 'sqlite:///a/b' },
    wrong: ['redis', 'sqlite:', 'sqlite::memory:', 'sqlite://a/b', './toolrack.db', 7, null, []],
  },
  REDIS_URL: {
    fallback: undefined,
    texts: { 'redis://a:6379': 'redis://a:6379', 'rediss://user:password@a/1': 'rediss://user:password@a/1' },
    wrong: ['localhost:6379', 'http://a', 'redis', 7, null, []],
  },
  REDIS_PREFIX: {
    fallback: 'toolrack',
    texts: { 'shop-1.a_b': 'shop-1.a_b' },
    wrong: ['a:b', 'a b', '*', 7, null, 'x'.repeat(65)],
  },
  HTTP_SSE: { fallback: false, texts: { true: true, false: false }, values: [true, false], wrong: ['yes', 1] },
  PLAIN_HTTP: { texts: { true: true, false: false }, values: [true, false], wrong: ['yes', 1] },
  CONSOLE: { texts: { true: true, false: false }, values: [true, false], wrong: ['yes', 1] },
  METRICS: { ...flag, fallback: true },
  METRICS_PORT: { ...number(3000, 0, 65_536), fallback: undefined, texts: { 0: 0, 65535: 65_535 } },
  METRICS_TOKEN: { fallback: undefined, texts: { [SECRET]: SECRET }, wrong: ['x'.repeat(15), 7, null] },
  SLOW_CALL_MS: number(5000, 1, 2 ** 31),
  TENANT_CLAIM: { fallback: undefined, texts: { tenant: 'tenant' }, wrong: [7, null, []] },
  AUDIT_FILE: { fallback: undefined, texts: { '/var/log/audit.log': '/var/log/audit.log' }, wrong: [7, null, []] },
  AUDIT_REQUIRED: { ...flag, fallback: false, texts: { false: false }, values: [false] },
  AUDIT_ARGUMENTS: { ...flag, fallback: false },
  DRAIN_MS: number(10_000, 0, 2 ** 31),
  ERROR_MESSAGES: { fallback: 'all', texts: { 'tool-errors': 'tool-errors', all: 'all' }, wrong: ['none', '', true] },
}

for (const [name, { fallback, texts = {}, values = [], wrong }] of Object.entries(CASES)) {
  const option = optionName(name)
  const key = toKey(name)
  const fromText = (text: string) => (readEnvironment({ [name]: text }) as Record<string, unknown>)[key]
  const fromOption = (value: unknown) => (readOptions(toOptions(option, value)) as Record<string, unknown>)[key]

  t.test(`${name} and ${option}: the default, what is taken, and what is refused by name`, async t => {
    t.strictSame(fromText(''), fallback, 'empty is unset')
    t.strictSame(fromOption(undefined), fallback)
    for (const [text, value] of Object.entries(texts)) {
      t.strictSame(fromText(text), value, text)
      t.strictSame(fromOption(name === 'SCOPE_HIERARCHY' ? text : value), value, text)
    }
    for (const value of values) t.strictSame(fromOption(value), value, JSON.stringify(value))
    const message = new RegExp(`^${option.replace('.', '\\.')}: \\S`)
    for (const value of wrong) {
      t.throws(() => fromOption(value), { name: 'ConfigError', message }, String(value))
      // Of the environment, white space around a value is cut (test/unit/config/raw-value.test.ts).
      if (typeof value !== 'string' || value.trim() !== value || value === '') continue
      t.throws(() => fromText(value), { name: 'ConfigError', message: new RegExp(`^${name}: \\S`) }, value)
    }
  })
}

t.test('the server tells clients who it is by its settings', async t => {
  const settings = readEnvironment({
    SERVER_NAME: 'shop',
    SERVER_TITLE: 'The shop',
    SERVER_VERSION: '2.0.0',
    INSTRUCTIONS: 'Ask first.',
  })

  t.match(resolveSettings(settings).identity, {
    name: 'shop',
    title: 'The shop',
    version: '2.0.0',
    instructions: 'Ask first.',
  })
})

t.test('every setting is tried here', async t => {
  t.same(Object.keys(CASES).sort(), Object.keys(SETTINGS).sort())
})

t.test('an option that does not exist is refused by its name', async t => {
  for (const name of ['burst', 'toString', '__proto__x', ''])
    t.throws(() => readOptions({ [name]: 1 }), { name: 'ConfigError', message: `${name}: no such option` })
  await t.rejects(createServer({ maxBodyByte: 1 } as object), { name: 'ConfigError', message: /^maxBodyByte: / })
})

t.test('variables that are not ours are left alone', async t => {
  t.strictSame(readEnvironment({ PATH: '/bin', RATE_LIMIT_BURST: 'x' }), readEnvironment({}))
})

t.test('settings are frozen, and a refusal never shows a secret', async t => {
  t.ok(Object.isFrozen(readEnvironment({})))
  t.throws(() => readEnvironment({ STATE_SECRET: 'hush' }), {
    message: /^(?!.*hush)STATE_SECRET: expected at least 32 bytes/,
  })
})

t.test('options of the server are checked like settings', async t => {
  const described = { name: 7, version: 1, title: [], instructions: {} }
  const wrong = { tools: {}, resources: 'x', prompts: null, ...described, audit: { stream: {} }, logStream: null }

  for (const [name, value] of Object.entries(wrong))
    await t.rejects(createServer({ [name]: value } as object), {
      name: 'ConfigError',
      message: new RegExp(`^${name}[.:] ?`),
    })
})

const start = (env: NodeJS.ProcessEnv) =>
  promisify(execFile)(process.execPath, [serverProgram()], {
    env: { PATH: process.env['PATH'], NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'], ...env },
  }).then(
    () => ({ code: 0, stderr: '', stdout: '' }),
    error => error as { code: number; stderr: string; stdout: string },
  )

t.test('the endpoint is at no path where the settings put another door', async t => {
  const refused = { name: 'ConfigError', message: /^mcpPath: \S/ }
  for (const mcpPath of ['/sse', '/messages']) {
    await t.rejects(createServer({ mcpPath, httpSse: true }), refused, mcpPath)
    await t.rejects(async () => Fastify().register(toolrack, { mcpPath, httpSse: true }), refused, mcpPath)
  }
  for (const elsewhere of [{ metrics: false }, { metrics: { port: 0 } }])
    t.match(resolveOptions({ mcpPath: '/metrics', ...elsewhere }).settings, { mcpPath: '/metrics' })
  for (const mcpPath of ['/health', '/ready', '/metrics']) {
    t.throws(() => resolveOptions({ mcpPath }), refused, mcpPath)
    t.throws(() => readEnvironment({ MCP_PATH: mcpPath }), { name: 'ConfigError', message: /^MCP_PATH: \S/ }, mcpPath)
    t.match(resolveOptions({ mcpPath }, { prefix: '' }).settings, { mcpPath }, 'a plugin has none of these')
  }
})

t.test('a bad setting stops the start with one line that names it', async t => {
  const cases: [NodeJS.ProcessEnv, RegExp][] = [
    [{ RATE_LIMIT_MAX: 'many' }, /^RATE_LIMIT_MAX: expected an integer from 1 to \d+\n$/],
    [{ TOOLS_DIR: '/no\nwhere' }, /^TOOLS_DIR: expected a folder that exists, not \/no where\n$/],
    // An address of documentation (RFC 5737), which no machine has.
    [{ HOST: '192.0.2.1', PORT: '0', ALLOW_ANONYMOUS: 'true' }, /^HOST: .*192\.0\.2\.1\S*\n$/],
    [{ SERVER_ICON: '/no/icon.png', PORT: '0' }, /^SERVER_ICON: expected the path of a file .*\(ENOENT\)\n$/],
    [{ INSTRUCTIONS: 'x', INSTRUCTIONS_FILE: '/x', PORT: '0' }, /^INSTRUCTIONS_FILE: expected either .*, not both\n$/],
    [{ HOST: '0.0.0.0' }, /^HOST: 0\.0\.0\.0 is not loopback .*ALLOW_ANONYMOUS=true.*\n$/],
  ]

  const ends = await Promise.all(cases.map(([env]) => start(env)))

  for (const [index, { code, stderr, stdout }] of ends.entries()) {
    t.equal(code, 1)
    t.match(stderr, cases[index]![1])
    t.equal(stdout, '')
  }
})
