// Right requests, and what becomes of them when somebody breaks their bytes or their values. SEED repeats a run.
import { request } from '../app.ts'

/** Mulberry32: small, and the same everywhere. */
function randomOf(seed: number): (below: number) => number {
  let state = seed >>> 0
  return below => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }
}

const METHODS: [string, Record<string, unknown>][] = [
  ['tools/call', { name: 'echo', arguments: { message: 'Hello, 世界', list: [1, 2.5, null, true, { a: {} }] } }],
  ['tools/call', { name: 'typed', arguments: { count: 7, when: '2026-07-28', tags: ['a', 'b'] } }],
  ['tools/call', { name: 'asks', arguments: {}, inputResponses: { k: { action: 'accept', content: {} } } }],
  ['tools/list', { cursor: 'AAAA' }],
  ['server/discover', {}],
  ['resources/read', { uri: 'memory://a' }],
  ['prompts/get', { name: 'hello', arguments: { who: 'x' } }],
  ['completion/complete', { ref: { type: 'ref/prompt', name: 'hello' }, argument: { name: 'who', value: 'a' } }],
]

const TOKENS = [
  ...['null', 'true', '""', '0', '-0', '1e400', '9007199254740993', '[]', '{}', '[[[[', '}}}}', '"', '\\', ',', ':'],
  ...['"__proto__":{},', '"constructor":{"prototype":1},', '"id":1,', '"jsonrpc":"2.0",', '"\\ud800"', '\ufeff', '\0'],
  ...['"result":{},', '"error":{},', '"params":null,', '"toString"', '"x-mcp-header"', '\u2028', '"requestState":"x",'],
]

export const SEED = Number(process.env['SEED'] ?? Date.now() % 2 ** 32)

export const random = randomOf(SEED)
export const pick = <T>(from: readonly T[]): T => from[random(from.length)]!

const MUTATIONS: ((body: Buffer) => Buffer)[] = [
  body => body.subarray(0, random(body.length)),
  body => body.subarray(random(body.length)),
  body => Buffer.concat([body, body]),
  body => {
    const copy = Buffer.from(body)
    for (let count = 1 + random(4); count > 0; count--) copy[random(copy.length)] = random(256)
    return copy
  },
  body => {
    const copy = Buffer.from(body)
    copy[random(copy.length)]! ^= 1 << random(8)
    return copy
  },
  body => splice(body, random(body.length), 0, Buffer.from(pick(TOKENS))),
  body => splice(body, random(body.length), 1 + random(20), Buffer.from(pick(TOKENS))),
  body => splice(body, random(body.length), 1 + random(40), Buffer.alloc(0)),
  // A value of the message in place of another: a right token where it does not belong.
  body => Buffer.from(body.toString().replace(pick([/"[^"]*"/, /\d+/, /\{[^{}]*\}/, /true|null/]), () => pick(TOKENS))),
  body => {
    const from = random(body.length)
    return splice(body, random(body.length), 0, body.subarray(from, from + random(60)))
  },
]

function splice(body: Buffer, at: number, length: number, put: Buffer): Buffer {
  return Buffer.concat([body.subarray(0, at), put, body.subarray(at + length)])
}

const VALUES = [
  null,
  true,
  0,
  -1,
  1.5,
  2 ** 53,
  1e300,
  '',
  'x',
  'toString',
  '\ud800',
  '\u001b[31m',
  [],
  {},
  [[]],
  [null],
  { a: 1 },
]

/** One value of the tree in place of another: well-formed JSON that is the wrong thing. */
export function regrow(message: object): object {
  const tree = structuredClone(message) as Record<string, unknown>
  let node = tree
  while (true) {
    const key = pick(Object.keys(node))
    const child = node[key]
    const isDeeper = typeof child === 'object' && child !== null && Object.keys(child).length > 0
    if (isDeeper && random(4) > 0) {
      node = child as Record<string, unknown>
      continue
    }
    if (random(4) === 0) delete node[key]
    else node[random(8) === 0 ? pick(['constructor', 'name', 'toString', 'x']) : key] = pick(VALUES)
    return tree
  }
}

export interface Mutant {
  readonly method: string
  readonly headers: Record<string, string>
  readonly body: Buffer
}

/** Half of them break the text; half keep it JSON, with headers that say the same, so that they get further down. */
export function mutant(): Mutant {
  const [method, params] = pick(METHODS)
  const { message, headers } = request(method, params, { id: random(1000), capabilities: { elicitation: {} } })
  if (random(2) === 0) {
    const changed = regrow(message) as typeof message
    const name = changed.params?.['name' as never] ?? changed.params?.['uri' as never]
    return {
      method,
      headers: {
        ...headers,
        'mcp-method': String(changed.method),
        ...(name !== undefined && { 'mcp-name': sentinel(name) }),
      },
      body: Buffer.from(JSON.stringify(changed)),
    }
  }
  return { method, headers, body: broken(message) }
}

/** The text of a message with one to three faults in it. */
export const broken = (message: unknown): Buffer => brokenBytes(Buffer.from(JSON.stringify(message)))

export function brokenBytes(whole: Buffer): Buffer {
  let body = whole
  for (let count = random(3); count >= 0 && body.length > 0; count--) body = pick(MUTATIONS)(body)
  return body
}

const sentinel = (name: unknown) => `=?base64?${Buffer.from(String(name)).toString('base64')}?=`
