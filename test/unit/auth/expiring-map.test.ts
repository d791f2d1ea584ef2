// A map whose entries expire: bounded by number and by size.
import t from 'tap'
import { ExpiringMap } from '../../../src/auth/expiring-map.ts'

function rig(bounds = { maxEntries: 3, maxSize: 100 }) {
  const clock = { nowMs: 1000 }
  const map = new ExpiringMap<string>(bounds, () => clock.nowMs)
  const set = (key: string, { size = 1, untilMs = 2000 } = {}) => map.set(key, key.toUpperCase(), { size, untilMs })
  const keys = () => ['a', 'b', 'c', 'd'].filter(key => map.get(key) !== undefined).join('')
  return { clock, map, set, keys }
}

t.test('an entry is there until its time, and not at it', async t => {
  const { clock, map, set } = rig()
  set('a')
  clock.nowMs = 1999
  t.equal(map.get('a'), 'A')
  clock.nowMs = 2000
  t.equal(map.get('a'), undefined)
  t.equal(map.count, 0)
  set('b')
  t.equal(map.count, 0, 'what has expired is not kept')
})

t.test('past the number of entries the oldest goes; one that is set again is the newest', async t => {
  const { set, keys } = rig()
  for (const key of ['a', 'b', 'c', 'a', 'd']) set(key)
  t.equal(keys(), 'acd')
})

t.test('past the size as many go as are needed; one that is larger than all is not kept', async t => {
  const { map, set, keys } = rig()
  set('a', { size: 40 })
  set('b', { size: 40 })
  set('c', { size: 100 })
  t.equal(keys(), 'c')
  set('d', { size: 101 })
  t.equal(keys(), 'c')
  map.delete('c')
  set('a', { size: 50 })
  set('b', { size: 50 })
  t.equal(keys(), 'ab', 'what was deleted takes no room')
})
