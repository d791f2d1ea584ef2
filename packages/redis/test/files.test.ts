import t from 'tap'
import { FILE_BOUNDS, FILE_TTL_MS } from '../../../src/state/files.ts'
import { toSuite } from '../../../test/support/suite.ts'
import { filesSuite } from '../../state/src/suites/files.ts'
import { RedisFiles } from '../src/files.ts'
import { keysOf, linkTo, newPrefix, operator, withRedis } from './links.ts'

withRedis(t, 'files on Redis', (t, server) => {
  filesSuite(toSuite(t), 'files on Redis', async (t, count) => {
    const prefix = newPrefix()
    const links = await Promise.all(Array.from({ length: count }, () => linkTo(server, t, prefix)))
    return links.map(({ link }) => new RedisFiles(link))
  })

  t.test('files on Redis: all keys expire', async t => {
    const { link, prefix } = await linkTo(server, t)
    const client = operator(server, t)
    await new RedisFiles(link).put('a', 'alice', {
      owner: 'alice',
      name: 'a',
      mimeType: 'a/b',
      bytes: Buffer.from('a'),
    })

    const keys = await client.keys(`${prefix}:file*`)
    t.equal(keys.length, 4)
    for (const key of keys) {
      const leftMs = await client.pttl(key)
      t.ok(leftMs > 0 && leftMs <= FILE_TTL_MS, key)
    }
  })

  t.test('files on Redis: a file that has to make room while it is written leaves nothing behind', async t => {
    const { link, prefix } = await linkTo(server, t)
    const client = operator(server, t)
    const files = new RedisFiles(link)
    const bytes = Buffer.alloc(FILE_BOUNDS.maxFile)
    const put = (id: string) => files.put(id, 'alice', { owner: 'alice', name: 'a', mimeType: 'a/b', bytes })

    t.strictSame(await Promise.all(['1', '2', '3'].map(put)), [false, true, true])

    t.strictSame((await client.zrange(`${prefix}:files`, '0', '-1')).sort(), ['2', '3'])
    t.strictSame(await keysOf(client, `${prefix}:file:*`), [`${prefix}:file:2`, `${prefix}:file:3`])
  })

  t.test('files on Redis: what another program has put there is not found', async t => {
    const { link, prefix } = await linkTo(server, t)
    const client = operator(server, t)
    const files = new RedisFiles(link)
    await client.rpush(`${prefix}:file:text`, 'not ours')
    await client.rpush(`${prefix}:file:json`, '{"owner":"alice"}')
    await client.set(`${prefix}:file:string`, 'not ours')

    for (const id of ['text', 'json', 'string']) t.equal(await files.find(id), undefined, id)
  })
})
