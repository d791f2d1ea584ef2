// What the chains of an audit show: each record that is altered, missing, there twice or moved.
import t from 'tap'
import { fakeLog } from '../../../test/support/fakes.ts'
import { AuditLog } from '../src/audit.ts'
import { hashLine } from '../src/chain.ts'
import { ChainCheck } from '../src/chain-check.ts'

/** The lines of a process that has recorded so much, without line feeds. */
async function chain(count: number, { isEnded = true } = {}): Promise<string[]> {
  const lines: string[] = []
  const stream = { write: (line: string) => void lines.push(line.trimEnd()) }
  const settings = { auditFile: undefined, auditRequired: false, auditArguments: false, tenantClaim: undefined }
  const parts = {
    sink: { stream },
    mask: (text: string) => text,
    log: fakeLog(),
    findSender: () => undefined,
    countLost: () => {},
  }
  const audit = new AuditLog(settings, parts)
  for (let n = 0; n < count; n++) audit.record({ event: 'reload', n })
  if (isEnded) await audit.close()
  return lines
}

function check(lines: readonly string[], { isContinued = false, heads = [] as string[], isWhole = true } = {}) {
  const checked = new ChainCheck({ isContinued, heads })
  for (const [index, line] of lines.entries())
    checked.add(Buffer.from(line), { place: `a:${index + 1}`, isWhole: isWhole || index < lines.length - 1 })
  checked.endFile()
  return checked
}

const faults = (lines: readonly string[], options = {}) =>
  check(lines, options).faults.map(({ place, text }) => `${place} ${text}`)

t.test('a whole chain has no fault, from its first record to its end', async t => {
  const lines = await chain(4)
  const { records, chains, faultCount } = check(lines)
  t.equal(records, 5)
  t.equal(faultCount, 0)
  t.match(chains, [{ firstSeq: 1, lastSeq: 5, hasEnded: true, head: hashLine(lines[4]!), lastPlace: 'a:5' }])
  t.match(JSON.parse(lines[0]!), { seq: 1, chain: /^[0-9a-f]{16}$/ })
  t.notOk('prev' in JSON.parse(lines[0]!), 'the first has none before it')
  t.equal(JSON.parse(lines[1]!).prev, hashLine(lines[0]!))
})

t.test('O2: an altered record is named by its line, in every byte of it', async t => {
  const lines = await chain(4)
  for (const altered of [lines[2]!.replace('"n":2', '"n":9'), `${lines[2]} `, lines[2]!.replace('reload', 'relaod')])
    t.match(faults(lines.with(2, altered)), [/^a:3 record 3 of chain \w+ is altered: record 4 at a:4 has the hash of/])
})

t.test('O2: missing records are named by the line behind the gap', async t => {
  const lines = await chain(6)
  t.match(faults(lines.toSpliced(2, 1)), [/^a:3 record 3 of chain \w+ is missing between a:2 and here/])
  t.match(faults(lines.toSpliced(2, 3)), [/^a:3 records 3 to 5 of chain \w+ are missing between a:2 and here/])
  t.match(faults(lines.with(2, lines[2]!.slice(0, 20))), [/^a:4 record 3 .* missing.*; a:3 cannot be read/])
  t.match(faults(lines.with(2, 'gone')), [/^a:4 record 3 of chain \w+ is missing/])
})

t.test('O2: a record that is there twice, or was moved, is named', async t => {
  const lines = await chain(4)
  t.match(faults([...lines, lines[1]!]), [/^a:6 record 2 of chain \w+ is here again, or was moved: record 5 is at a:5/])
  t.match(faults([lines[0]!, lines[2]!, lines[1]!, ...lines.slice(3)]), [
    /^a:2 record 2 of chain \w+ is missing/,
    /^a:3 record 2 of chain \w+ is here again, or was moved/,
  ])
})

t.test('chains of several processes may follow each other, or mix', async t => {
  const [one, two] = [await chain(2), await chain(2)]
  t.equal(check([...one, ...two]).chains.length, 2)
  t.strictSame(faults([...one, ...two]), [])
  t.strictSame(faults([one[0]!, two[0]!, two[1]!, one[1]!, one[2]!, two[2]!]), [])
  t.match(faults([...one.slice(0, 1), ...two, ...one.slice(2)]), [/^a:5 record 2 of chain/])
})

t.test('a chain that begins in its middle is a fault, unless older files are gone', async t => {
  const lines = (await chain(4)).slice(2)
  t.match(faults(lines), [/^a:1 chain \w+ begins with record 3: earlier ones are in an older file, or were removed/])
  t.strictSame(faults(lines, { isContinued: true }), [])
})

t.test('half a line counts as a fault, unless a process that was killed has left it', async t => {
  const [killed, next] = [await chain(3, { isEnded: false }), await chain(1)]
  const half = killed[2]!.slice(0, 50)
  const restarted = check([...killed.slice(0, 2), half, ...next])
  t.strictSame([restarted.faultCount, restarted.cutOff, restarted.chains[0]!.hasEnded], [0, ['a:3'], false])
  const last = check([...killed.slice(0, 2), half], { isWhole: false })
  t.strictSame([last.faultCount, last.cutOff], [0, ['a:3']])
  t.match(faults([...killed.slice(0, 2), half]), [/^a:3 this line is altered/], 'a killed process ends no line')
})

t.test('lines of a log between the records are counted, and no fault', async t => {
  const lines = await chain(2)
  const { others, faultCount } = check([lines[0]!, '{"level":30,"msg":"served"}', '', 'text', lines[1]!, lines[2]!])
  t.strictSame([others, faultCount], [2, 0])
})

t.test('O2: a head that was kept elsewhere has to be there', async t => {
  const lines = await chain(3)
  const heads = lines.map(line => hashLine(line))
  t.strictSame(check(lines, { heads }).missingHeads, [])
  t.strictSame(check(lines.slice(0, 2), { heads }).missingHeads, heads.slice(2))
})

t.test('chains beyond what is told apart end the check, and many faults are counted', async t => {
  const first = (n: number) => JSON.stringify({ msg: 'audit', chain: n.toString(16), seq: 1 })
  const checked = check(Array.from({ length: 100_000 }, (_, n) => first(n)))
  t.equal(checked.chains.length, 100_000)
  const where = { place: 'a:1', isWhole: true }
  t.throws(() => checked.add(Buffer.from(first(100_000)), where), {
    message: 'expected at most 100000 chains in one check',
  })

  for (let n = 0; n < 1500; n++) checked.add(Buffer.from(first(0)), where)
  t.strictSame([checked.faultCount, checked.faults.length], [1500, 1000])
})
