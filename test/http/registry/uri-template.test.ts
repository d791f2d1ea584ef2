import t from 'tap'
import { createServer, defineResource } from '../../../src/index.ts'
import { parseTemplate } from '../../../src/registry/uri-template.ts'
import { build, call } from '../../support/app.ts'
import { cpuMsOf } from '../../support/cpu-time.ts'

const cases: [template: string, uri: string, variables: Record<string, string> | undefined][] = [
  ['users://{id}', 'users://42', { id: '42' }],
  ['users://{id}', 'users://', undefined],
  ['users://{id}', 'users://4/2', undefined],
  ['users://{id}', 'users://4?2', undefined],
  ['users://{id}', 'users://4#2', undefined],
  ['users://{id}', 'xusers://42', undefined],
  ['users://{id}/profile', 'users://42/profile', { id: '42' }],
  ['users://{id}/profile', 'users://42/profiles', undefined],
  ['users://{id}/posts/{post_id}', 'users://a/posts/b', { id: 'a', post_id: 'b' }],
  ['file:///{+path}', 'file:///a/b/c.txt', { path: 'a/b/c.txt' }],
  ['file:///{+path}', 'file:///a?b#c', { path: 'a?b#c' }],
  ['file:///{+path}', 'file:///', undefined],
  ['file:///{+path}.{ext}', 'file:///a/b.c.txt', { path: 'a/b.c', ext: 'txt' }],
  ['a://{b}-{c}', 'a://1-2-3', { b: '1-2', c: '3' }],
  ['a://{+b}-{c}', 'a://1-2/3-4', { b: '1-2/3', c: '4' }],
  ['a://{b}-{+c}', 'a://1-2/3-4', { b: '1', c: '2/3-4' }],
  ['{+a}', 'x:y', { a: 'x:y' }],
  ['{+a}', '', undefined],
  ['db://{table}?limit={n}', 'db://users?limit=10', { table: 'users', n: '10' }],
  ['db://a.b/{x}', 'db://a.b/1', { x: '1' }],
  ['db://a.b/{x}', 'db://aXb/1', undefined],
  ['db://(a)+$*[c]/{x}', 'db://(a)+$*[c]/1', { x: '1' }],
  ['db://a|b^c\\d e/{x}', 'db://a%7Cb%5Ec%5Cd%20e/1', { x: '1' }],
  ['docs://café/{x}', 'docs://caf%C3%A9/1', { x: '1' }],
  ['docs://café/{x}', 'docs://caf%c3%a9/1', { x: '1' }],
  ['docs://caf%c3%A9/{x}', 'docs://caf%C3%a9/1', { x: '1' }],
  ['docs://café/{x}', 'docs://cafe/1', undefined],
  ['docs://日本/{x}/語', 'docs://%E6%97%A5%E6%9C%AC/1/%E8%AA%9E', { x: '1' }],
  ['users://{id}', 'users://%C3%BC%20%3F', { id: 'ü ?' }],
  ['users://{id}', 'users://%2F', undefined],
  ['users://{id}', 'users://a%5Cb', undefined],
  ['users://{id}', 'users://%2e%2e', undefined],
  ['file://{+path}', 'file:///../a', undefined],
  ['file://{+path}', 'file:///a/%2e', undefined],
  ['file://{+path}', 'file:///a.b/c..', { path: '/a.b/c..' }],
  ['users://{id}', 'users://%', undefined],
  ['users://{id}', 'users://%ff', undefined],
  ['users://{id}', 'users://ü', { id: 'ü' }],
  ['users://{id}', 'users://a\nb', undefined],
  ['users://fixed', 'users://fixed', {}],
  ['users://{id}', `users://${'a'.repeat(8192)}`, undefined],
  ['users://{__proto__}', 'users://x', JSON.parse('{ "__proto__": "x" }')],
]

for (const [template, uri, variables] of cases) {
  t.test(`${template} and ${JSON.stringify(uri.slice(0, 40))}`, async t => {
    t.strictSame(parseTemplate(template).match(uri), variables)
  })
}

t.test('the names of the variables, in order', async t => {
  t.strictSame(parseTemplate('a://{b}/{+c}').names, ['b', 'c'])
})

for (const [template, fault] of [
  ['a://{b}{c}', /\{c\}: needs text/],
  ['a://{b', /only \{name\} and \{\+name\}/],
  ['a://b}', /only \{name\} and \{\+name\}/],
  ['a://{b,c}', /only \{name\} and \{\+name\}/],
  ['a://{?b}', /only \{name\} and \{\+name\}/],
  ['a://{b*}', /only \{name\} and \{\+name\}/],
  ['a://{}', /only \{name\} and \{\+name\}/],
  ['a://{b}/{b}', /\{b\}: is defined twice/],
] as const) {
  t.test(`${template} is refused, and why is said`, async t => {
    t.throws(() => parseTemplate(template), { message: fault })
    const bad = defineResource({ uriTemplate: template, name: 'bad', handler: () => '' })
    await t.rejects(createServer({ resources: [bad] }), { message: /resource "bad": uriTemplate/ })
  })
}

t.test('a URI that seems made to be slow is matched in no time', async t => {
  const rest = parseTemplate('a://{+b}/{+c}/{+d}/{+e}x')
  const segments = parseTemplate('a://{b}-{c}-{d}-{e}/x')

  const tookMs = cpuMsOf(() => {
    t.equal(rest.match(`a://${'/'.repeat(8000)}`), undefined)
    t.equal(segments.match(`a://${'-'.repeat(8000)}`), undefined)
  })

  t.ok(tookMs < 1000, `${tookMs} ms`)
})

t.test('a fixed URI goes before a template, and templates in their order', async t => {
  const make = (key: object, text: string) => defineResource({ name: 'x', handler: () => text, ...key })
  const app = await build(t, {
    resources: [
      make({ uriTemplate: 'a://{+rest}' }, 'rest'),
      make({ uriTemplate: 'a://b/{id}' }, 'id'),
      make({ uri: 'a://b/fixed' }, 'fixed'),
    ],
  })
  const read = async (uri: string) => (await call(app, 'resources/read', { uri })).result.contents[0].text

  t.equal(await read('a://b/fixed'), 'fixed')
  t.equal(await read('a://b/c'), 'id')
  t.equal(await read('a://b/c/d'), 'rest')
})
