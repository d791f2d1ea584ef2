// `file()`: small ones are embedded, large ones are linked for the caller alone.
import { createHash } from 'node:crypto'
import { EventEmitter } from 'node:events'
import { createReadStream } from 'node:fs'
import { Readable } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import t from 'tap'
import { z } from 'zod'
import { defineTool, type FileSource, file, json, Type, text } from '../../../src/index.ts'
import { build, call, callTool } from '../../support/app.ts'
import { ALICE, OTHERS, RESOURCE, SECRET } from '../../support/auth/guarded.ts'
import { connectMode, MODES } from '../../support/clients/connect-mode.ts'
import { NO_REDIS, redisServer } from '../../support/servers/redis-server.ts'
import { tempFolder } from '../../support/tools-folder.ts'

const LARGE = Buffer.from(Array.from({ length: 300_000 }, (_, n) => n % 251))
const digest = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')
async function* failing() {
  yield 'a'
  throw new Error('disk gone')
}
const give = (source: FileSource, options = { name: 'a.bin' } as Parameters<typeof file>[1]) =>
  defineTool({ name: 'give', handler: () => file(source, options) })

t.test('small files are embedded: texts as text, all else as Base64', async t => {
  const cases: [FileSource, Parameters<typeof file>[1], object][] = [
    ['Größe', { name: 'a b.txt' }, { uri: 'attachment:///a%20b.txt', mimeType: 'text/plain', text: 'Größe' }],
    [Buffer.from('{}'), { name: 'a.json', mimeType: 'application/json' }, { mimeType: 'application/json', text: '{}' }],
    [new Uint8Array([1, 2]), { name: 'a' }, { mimeType: 'application/octet-stream', blob: 'AQI=' }],
    [new Uint8Array([1, 2]).buffer, { name: 'a' }, { blob: 'AQI=' }],
    [Buffer.from([0xff]), { name: 'a.txt', mimeType: 'text/plain' }, { mimeType: 'text/plain', blob: '/w==' }],
    [new Blob(['a', 'b']), { name: 'a.txt', mimeType: 'text/plain' }, { text: 'ab' }],
    [Readable.from([Buffer.from('a'), 'b']), { name: 'a.csv', mimeType: 'text/csv; charset=utf-8' }, { text: 'ab' }],
    [new Response('ab').body!, { name: 'a.txt', mimeType: 'text/plain' }, { text: 'ab' }],
    [['a', 'b'], { name: 'a.txt', mimeType: 'text/plain' }, { text: 'ab' }],
    ['', { name: 'empty.txt' }, { text: '' }],
  ]
  for (const [source, options, resource] of cases) {
    const app = await build(t, { tools: [give(source, options)] })
    t.match(await callTool(app, 'give'), { content: [{ type: 'resource', resource }] }, options.name)
  }
})

for (const { name, mode } of MODES) {
  t.test(`client 2.x, ${name}, reads a large file by its link`, async t => {
    const tool = give(Readable.from([LARGE.subarray(0, 1000), LARGE.subarray(1000)]), { name: 'ä b.bin' })
    const { client } = await connectMode(t, { tools: [tool] }, { mode })

    const { content } = await client.callTool({ name: 'give', arguments: {} })
    t.match(content, [
      {
        type: 'resource_link',
        uri: /^toolrack:\/\/files\/[\w-]{22}\/%C3%A4%20b\.bin$/,
        name: 'ä b.bin',
        size: LARGE.length,
      },
    ])
    const { contents } = await client.readResource({ uri: (content as { uri: string }[])[0]!.uri })
    const [{ blob, mimeType }] = contents as unknown as [{ blob: string; mimeType: string }]
    t.equal(mimeType, 'application/octet-stream')
    t.equal(digest(Buffer.from(blob, 'base64')), digest(LARGE))
  })
}

t.test('files stand beside other blocks, and beside structured content', async t => {
  const parts = defineTool({ name: 'parts', handler: () => [text('See:'), file('a', { name: 'a.txt' })] })
  const whole = defineTool({
    name: 'whole',
    outputSchema: Type.Object({ n: Type.Number() }),
    handler: () => ({ content: [file('a', { name: 'a.txt' })], structuredContent: { n: 1 } }),
  })
  const app = await build(t, { tools: [parts, whole] })

  t.match(await callTool(app, 'parts'), { content: [{ text: 'See:' }, { resource: { text: 'a' } }] })
  t.match(await callTool(app, 'whole'), {
    content: [{ resource: { text: 'a' } }, { text: '{"n":1}' }],
    structuredContent: { n: 1 },
  })
})

t.test('a large file is for its caller alone', async t => {
  const app = await build(t, { jwt: { secret: SECRET }, publicUrl: RESOURCE, tools: [give(LARGE)] })
  const { uri } = (await callTool(app, 'give', {}, { headers: ALICE })).content[0]
  const read = (uri: string, headers: Record<string, string>) => call(app, 'resources/read', { uri }, { headers })

  t.equal((await read(uri, ALICE)).result.contents[0].blob.length, LARGE.toString('base64').length)
  for (const [who, headers] of Object.entries(OTHERS)) t.equal((await read(uri, headers)).error.code, -32602, who)
  for (const wrong of [`${uri}x`, uri.replace('a.bin', 'b.bin'), 'toolrack://files/', 'toolrack://files/x/a.bin'])
    t.equal((await read(wrong, ALICE)).error.code, -32602, wrong)
  t.equal((await read('other://x', ALICE)).error.code, -32601, 'there are no other resources')
})

t.test('what is too large, breaks or is none is an error of the tool', async t => {
  async function* endless() {
    for (;;) yield Buffer.alloc(1024 * 1024)
  }
  const tools = [
    { ...give(endless(), { name: 'endless' }), name: 'endless' },
    { ...give(failing(), { name: 'broken' }), name: 'broken' },
    defineTool({ name: 'slashes', handler: () => file('a', { name: '../a' }) }),
    defineTool({ name: 'above', handler: () => file('a', { name: '..' }) }),
    defineTool({ name: 'half', handler: () => file('a', { name: 'a\ud800' }) }),
    defineTool({ name: 'nameless', handler: () => (file as (source: string) => never)('a') }),
    defineTool({ name: 'typeless', handler: () => file('a', { name: 'a', mimeType: 'pdf' }) }),
    defineTool({ name: 'nothing', handler: () => file(undefined as never, { name: 'a' }) }),
  ]
  const app = await build(t, { tools })
  const wrongName = /file: name must be 1 to 255 characters without slashes/
  const texts = {
    endless: 'endless returned an invalid result: the file endless is larger than 16 MiB',
    broken: 'disk gone',
    slashes: wrongName,
    above: wrongName,
    half: wrongName,
    nameless: wrongName,
    typeless: /file: mimeType must be one, such as 'application\/pdf'/,
    nothing: /file: give bytes, a text, a Blob or a stream/,
  }

  for (const [name, text] of Object.entries(texts))
    t.match(await callTool(app, name), { isError: true, content: [{ text }] }, name)
})

t.test('a stream that does not end is destroyed at the deadline', async t => {
  const stalled = new Readable({ read() {} })
  const app = await build(t, { tools: [{ ...give(stalled), timeout: 20 }] })

  t.match(await callTool(app, 'give'), { isError: true, content: [{ text: 'give timed out after 20 ms' }] })
  t.ok(stalled.destroyed)
})

t.test('a stream that nobody reads is destroyed', async t => {
  const streams: Record<string, Readable> = {}
  const unread = (name: string) => (streams[name] = new Readable({ read() {} }))
  const [refused, web] = [new Response('a').body!, new Response('a').body!]
  const tools = [
    defineTool({
      name: 'second',
      handler: () => [file(failing(), { name: '1' }), file(unread('second'), { name: '2' })],
    }),
    defineTool({
      name: 'asking',
      handler: async (_args, ctx) => {
        await Promise.race([ctx.confirm('Sure?').catch(() => {}), nextTurn()])
        return [file(unread('asking'), { name: 'a' }), file(web, { name: 'b' })]
      },
    }),
    defineTool({
      name: 'unable',
      handler: async (_args, ctx) => {
        await ctx.listRoots('roots').catch(() => {})
        return file(unread('unable'), { name: 'a' })
      },
    }),
    defineTool({ name: 'misnamed', handler: () => file(unread('misnamed'), { name: 'a/b' }) }),
    defineTool({ name: 'web', handler: () => file(refused, { name: 'a', mimeType: 'none' }) }),
    defineTool({ name: 'misplaced', handler: () => ['a', { deep: file(unread('misplaced'), { name: 'a' }) }] }),
    defineTool({
      name: 'unfit',
      outputSchema: z.object({ n: z.number() }),
      handler: () => ({ content: [file(unread('unfit'), { name: 'a' })], structuredContent: { n: 'x' as never } }),
    }),
    defineTool({
      name: 'missing',
      handler: () => file(createReadStream('/no/such/file'), { name: '..' }),
    }),
  ]
  const app = await build(t, { tools })

  for (const { name } of tools) {
    const { error, result } = await call(app, 'tools/call', { name, arguments: {} })
    t.ok(error !== undefined || result.isError, name)
  }

  t.equal(Object.keys(streams).length, 6)
  for (const [name, stream] of Object.entries(streams)) t.ok(stream.destroyed, name)
  for (const stream of [refused, web]) t.strictSame(await stream.getReader().read(), { done: true, value: undefined })
  const asked = await call(app, 'tools/call', { name: 'asking', arguments: {} }, { capabilities: { elicitation: {} } })
  t.equal(asked.result.resultType, 'input_required')
  t.ok(streams['asking']!.destroyed, 'a question is open')
  t.ok(app.logs.lines.every(({ level, msg }) => level < 50 || msg === 'tool threw'))
})

t.test('a stream that was read before is refused', async t => {
  const read = Readable.from(['a', 'b'])
  for await (const _chunk of read);
  const response = new Response('a')
  await response.text()
  const twice = file(Readable.from(['a']), { name: 'a' })
  const sources = { read, locked: response.body!, twice: undefined }
  const tools = Object.entries(sources).map(([name, source]) =>
    defineTool({ name, handler: () => (source === undefined ? twice : file(source, { name: 'a' })) }),
  )
  const app = await build(t, { tools })

  t.match(await callTool(app, 'twice'), { content: [{ resource: { blob: 'YQ==' } }] })
  for (const name of Object.keys(sources)) {
    const text = `${name} returned an invalid result: the stream of the file a was read before`
    t.match(await callTool(app, name), { isError: true, content: [{ text }] })
  }
})

t.test('a generator that was read before is refused, and what can be read anew is not', async t => {
  const once = (function* () {
    yield 'a'
  })()
  const anew = {
    *[Symbol.iterator]() {
      yield 'a'
    },
  }
  const tools = Object.entries({ once, anew }).map(([name, source]) =>
    defineTool({ name, description: 'Gives a file.', handler: () => file(source, { name: 'a.txt' }) }),
  )
  const app = await build(t, { tools })

  for (const { name } of tools) t.match(await callTool(app, name), { content: [{ resource: { blob: 'YQ==' } }] }, name)
  t.match(await callTool(app, 'anew'), { content: [{ resource: { blob: 'YQ==' } }] })
  const text = 'once returned an invalid result: the stream of the file a.txt was read before'
  t.match(await callTool(app, 'once'), { isError: true, content: [{ text }] })
})

t.test('a stream that breaks before its turn is an error of the tool', async t => {
  /** A file that is read until the next one has broken. */
  const until = (breaks: (done: () => void) => void) =>
    file(
      (async function* () {
        await new Promise<void>(breaks)
        yield 'a'
      })(),
      { name: 'a' },
    )
  const missing = defineTool({
    name: 'missing',
    description: 'Gives two files.',
    handler: () => {
      const stream = createReadStream('/no/such/file')
      return [until(done => stream.once('close', done)), file(stream, { name: 'b' })]
    },
  })
  const foreign = defineTool({
    name: 'foreign',
    description: 'Gives two files, one of them from a stream that is none of Node, as archives are.',
    handler: () => {
      const stream = Object.assign(new EventEmitter(), { destroy() {}, [Symbol.asyncIterator]: failing })
      const waiting = until(done => {
        stream.emit('error', new Error('disk gone'))
        done()
      })
      return [waiting, file(stream, { name: 'b' })]
    },
  })
  const app = await build(t, { tools: [missing, foreign] })

  t.match(await callTool(app, 'missing'), { isError: true, content: [{ text: /^ENOENT/ }] })
  t.match(await callTool(app, 'foreign'), { isError: true, content: [{ text: 'disk gone' }] })
})

t.test('a text in pieces is whole, wherever it is cut, and views are bytes', async t => {
  const text = 'a😀'.repeat(10)
  const words = new Uint16Array([256, 65])
  const cases: [FileSource, Buffer][] = [
    [Array.from({ length: text.length }, (_, at) => text[at]!), Buffer.from(text)],
    [['\ud83d', Buffer.from('b'), '\ude00', '', '\ud83d'], Buffer.from('\ud83db\ude00\ud83d')],
    [[words, new DataView(words.buffer, 2), words.buffer], Buffer.from([0, 1, 65, 0, 65, 0, 0, 1, 65, 0])],
    [words.subarray(1), Buffer.from([65, 0])],
  ]
  for (const [source, bytes] of cases) {
    const app = await build(t, { tools: [give(source)] })
    t.match(await callTool(app, 'give'), { content: [{ resource: { blob: bytes.toString('base64') } }] })
  }
})

t.test('what a stream gives beside bytes and texts is refused', async t => {
  const numbers = (function* () {
    yield 1
  })()
  const text = 'give returned an invalid result: the stream of the file a.bin must give bytes or text'
  const app = await build(t, { tools: [give(numbers as never)] })
  t.match(await callTool(app, 'give'), { isError: true, content: [{ text }] })

  const list = await build(t, { tools: [give([1, 2, 3] as never)] })
  t.match(await callTool(list, 'give'), { isError: true, content: [{ text: /^file: give bytes, a text, a Blob/ }] })
})

t.test('a file in a place where none can be is not sent as JSON', async t => {
  const secret = file('secret', { name: 'a.txt' })
  const outputSchema = Type.Object({})
  const tools = [
    defineTool({ name: 'text', handler: () => ['see', secret] }),
    defineTool({ name: 'member', handler: () => ({ report: secret }) }),
    defineTool({ name: 'json', handler: () => json({ report: secret }) }),
    defineTool({ name: 'structured', outputSchema, handler: () => secret as never }),
    defineTool({ name: 'beside', outputSchema, handler: () => ({ content: [secret] }) as never }),
  ]
  const places = { text: '1', member: 'report', json: 'a.txt', structured: '(root)', beside: 'content.0' }
  const app = await build(t, { tools })

  for (const [name, place] of Object.entries(places)) {
    const { isError, content } = await callTool(app, name)
    t.ok(isError, name)
    t.match(content[0].text, `${place} is a file: return it alone, or among blocks: text('see')`)
  }
})

t.test('a handler may use its buffer again', async t => {
  const shared = Buffer.alloc(300_000)
  const fill = defineTool({
    name: 'fill',
    inputSchema: Type.Object({ by: Type.String() }),
    handler: ({ by }) => {
      shared.fill(by)
      return file(shared.subarray(0, 100_000), { name: 'a.txt', mimeType: 'text/plain' })
    },
  })
  const app = await build(t, { tools: [fill] })
  const { uri } = (await callTool(app, 'fill', { by: 'a' })).content[0]
  await callTool(app, 'fill', { by: 'b' })

  t.ok((await call(app, 'resources/read', { uri })).result.contents[0].text === 'a'.repeat(100_000))
  const { source } = file(shared.subarray(0, 10), { name: 'a' }) as { source: Uint8Array }
  t.equal(source.buffer.byteLength, 10, 'a part does not keep the whole')
})

t.test('small files arrive as they are, as large ones do', async t => {
  const csv = '\ufeffa;b\r\n1\u200b;\f2\r\n'
  const options = { name: 'a.csv', mimeType: 'text/csv' }
  const app = await build(t, {
    tools: [give(csv, options), defineTool({ name: 'raw', sanitize: false, handler: () => file(csv, options) })],
  })

  const blob = Buffer.from(csv).toString('base64')
  const { content, _meta } = await callTool(app, 'give')
  t.match(content, [{ resource: { mimeType: 'text/csv', blob } }])
  t.notOk('toolrack/strippedCharacters' in _meta)
  t.match(await callTool(app, 'raw'), { content: [{ resource: { mimeType: 'text/csv', text: csv } }] })
})

t.test('an isolated tool returns files', async t => {
  const { path } = tempFolder(t, {
    'give.mjs': `import { file } from 'toolrack'
export default [
  { name: 'small', isolate: true, handler: () => [file('a', { name: 'a.txt' })] },
  { name: 'large', isolate: true, handler: () => file(Buffer.alloc(100_000, 1), { name: 'a.bin' }) },
]`,
  })
  const app = await build(t, { toolsDir: path })

  t.match(await callTool(app, 'small'), { content: [{ resource: { text: 'a' } }] })
  const { uri } = (await callTool(app, 'large')).content[0]
  t.equal(
    (await call(app, 'resources/read', { uri })).result.contents[0].blob,
    Buffer.alloc(100_000, 1).toString('base64'),
  )
})

t.test('with Redis, any replica reads it', { skip: NO_REDIS }, async t => {
  const { url: redisUrl } = await redisServer(t)
  const options = { redis: { url: redisUrl }, tools: [give(LARGE)] }
  const [one, two] = [await build(t, options), await build(t, options)]
  const { uri } = (await callTool(one, 'give')).content[0]

  const { blob } = (await call(two, 'resources/read', { uri })).result.contents[0]
  t.equal(digest(Buffer.from(blob, 'base64')), digest(LARGE))
})

t.test('as a link, a small file is one, too', async t => {
  const app = await build(t, { tools: [give('small', { name: 'a.txt', as: 'link' })] })

  const { content } = await callTool(app, 'give')

  t.match(content, [{ type: 'resource_link', name: 'a.txt', mimeType: 'text/plain', size: 5 }])
  const { result } = await call(app, 'resources/read', { uri: content[0].uri })
  t.match(result.contents, [{ uri: content[0].uri, text: 'small' }])
  t.throws(() => file('a', { name: 'a', as: 'blob' as 'link' }), /file: as must be 'link', or left out/)
})
