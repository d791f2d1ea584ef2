// Rules of every FileStore: a file is returned unchanged, on every replica, within the bounds.
import { FILE_BOUNDS, type FileStore, type KeptFile } from 'toolrack/state'
import type { Ending, Suite } from './check.ts'

/** @returns stores that share their files, as replicas do */
export type MakeFiles = (t: Ending, count: number) => Promise<readonly FileStore[]> | readonly FileStore[]

const aFile = (length: number, over: Partial<KeptFile> = {}): KeptFile => ({
  owner: 'alice',
  name: 'ä.bin',
  mimeType: 'application/x-test',
  bytes: Buffer.alloc(length, 7),
  ...over,
})

export function filesSuite(t: Suite, name: string, make: MakeFiles): void {
  t.test(`${name}: a file is found as it was put`, async t => {
    const stores = await make(t, 2)
    const bytes = Buffer.from(Array.from({ length: 1_300_000 }, (_, n) => n % 251))
    await stores[0]!.put('a', 'alice', aFile(0, { bytes }))
    await stores[0]!.put('b', 'alice', aFile(0, { owner: undefined }))

    const found = await stores.at(-1)!.find('a')
    t.match(found, { owner: 'alice', name: 'ä.bin', mimeType: 'application/x-test' })
    t.ok(bytes.equals(found!.bytes))
    t.equal((await stores.at(-1)!.find('b'))?.owner, undefined)
    t.equal((await stores.at(-1)!.find('b'))?.bytes.byteLength, 0)
    t.equal(await stores[0]!.find('c'), undefined)
  })

  t.test(`${name}: past the share of an owner, its oldest files go`, async t => {
    const [files] = (await make(t, 1)) as [FileStore]
    await files.put('of bob', 'bob', aFile(100))
    for (const id of ['1', '2', '3']) await files.put(id, 'alice', aFile(FILE_BOUNDS.maxOfOwner / 2))

    t.equal(await files.find('1'), undefined)
    for (const id of ['2', '3', 'of bob']) t.ok(await files.find(id), id)
  })

  t.test(`${name}: past the bound of all, the oldest files go`, async t => {
    const [files] = (await make(t, 1)) as [FileStore]
    const count = FILE_BOUNDS.maxTotal / FILE_BOUNDS.maxFile
    for (let n = 0; n <= count; n++) await files.put(String(n), `owner ${n}`, aFile(FILE_BOUNDS.maxFile))

    t.equal(await files.find('0'), undefined)
    t.ok(await files.find('1'))
    t.ok(await files.find(String(count)))
  })

  t.test(`${name}: files that are put at once keep the bounds, and none is left in part`, async t => {
    const [files] = (await make(t, 1)) as [FileStore]
    const count = 12
    const ids = Array.from({ length: count }, (_, n) => String(n))
    const puts = ids.map(id => files.put(id, 'alice', aFile(FILE_BOUNDS.maxFile)))
    const areKept = await Promise.all(puts)

    const found = await Promise.all(ids.map(id => files.find(id)))
    const kept = found.filter(file => file !== undefined)
    t.ok(kept.length * FILE_BOUNDS.maxFile <= FILE_BOUNDS.maxOfOwner)
    t.ok(kept.every(({ bytes }) => bytes.byteLength === FILE_BOUNDS.maxFile))
    t.ok(areKept.at(-1), 'the newest is kept')
    for (const [n, isKept] of areKept.entries()) t.ok(isKept || found[n] === undefined, `file ${n}`)
  })
}
