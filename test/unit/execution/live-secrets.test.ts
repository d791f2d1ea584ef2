// Secrets that come and go: masked in texts while they live, wherever they stand.
import t from 'tap'
import { LiveSecrets, MAX_KEPT } from '../../../src/execution/live-secrets.ts'
import { createLoadMask, createMask, createSecretMask } from '../../../src/execution/mask.ts'

const FOREVER = Number.POSITIVE_INFINITY
const SECRET = 'opaque-0123456789-abcdefghijkl'

t.test('a secret is found wherever it stands, and what is like it is left', async t => {
  const secrets = new LiveSecrets()
  secrets.add(SECRET, FOREVER)
  const cases = {
    [SECRET]: '[x]',
    [`a ${SECRET} b`]: 'a [x] b',
    [`${SECRET}${SECRET}`]: '[x][x]',
    [`(${SECRET}),"${SECRET}"`]: '([x]),"[x]"',
    [`z${SECRET}z`]: 'z[x]z',
    [SECRET.slice(1)]: SECRET.slice(1),
    [SECRET.slice(0, -1)]: SECRET.slice(0, -1),
    '': '',
    short: 'short',
  }
  for (const [text, masked] of Object.entries(cases)) t.equal(secrets.replaceIn(text, '[x]'), masked, text)
})

t.test('many are found in one text, also those that end alike but for their end', async t => {
  const secrets = new LiveSecrets()
  const all = Array.from({ length: 3000 }, (_, index) => `eyJ.same-beginning.${String(index).padStart(12, '0')}`)
  for (const secret of all) secrets.add(secret, FOREVER)
  t.equal(secrets.replaceIn(all.join(' '), '-'), all.map(() => '-').join(' '))
})

t.test('secrets that end alike are told apart; of very many with one end, the newest are masked', async t => {
  const secrets = new LiveSecrets()
  const all = Array.from({ length: 65 }, (_, index) => `opaque-${index}-with-the-same-end`)
  for (const secret of all) secrets.add(secret, FOREVER)
  secrets.add(all.at(-1)!, FOREVER)
  t.equal(
    secrets.replaceIn(all.slice(1).join(' '), '-'),
    all
      .slice(1)
      .map(() => '-')
      .join(' '),
  )
  t.equal(secrets.replaceIn(all[0]!, '-'), all[0])
  t.equal(secrets.replaceIn('another-with-the-same-end', '-'), 'another-with-the-same-end')
})

t.test('one that has expired is a text like any other; one that is short is never masked', async t => {
  const secrets = new LiveSecrets()
  secrets.add(SECRET, Date.now() - 1)
  secrets.add('elevenchars', FOREVER)
  t.equal(secrets.replaceIn(`${SECRET} elevenchars`, '-'), `${SECRET} elevenchars`)
})

t.test('masks hide them beside the others, and know the longest', async t => {
  const secrets = new LiveSecrets()
  for (const create of [createMask, createSecretMask]) {
    const mask = create(['a-setting-that-is-secret'], secrets)
    const before = mask.longest!
    secrets.add(`${'x'.repeat(before)}${SECRET}`, FOREVER)
    t.equal(mask(`${'x'.repeat(before)}${SECRET} a-setting-that-is-secret`), '[secret] [secret]')
    t.ok(mask.longest! > before)
  }
})

t.test('secrets of files are masked for good, also short ones and with other white space', async t => {
  const secrets = new LiveSecrets()
  const masks = [createMask(['of-the-start'], secrets), createSecretMask([], secrets), createLoadMask([], secrets)]
  secrets.keep('short-1')
  secrets.keep('two\nlines of it')
  for (let count = 0; count < 20_000; count++) secrets.add(`token-${count}-of-many`, FOREVER)

  for (const mask of masks) t.equal(mask('a short-1 b two lines of it c'), 'a [secret] b [secret] c')
  t.equal(masks[0]!('of-the-start'), '[secret]')

  for (let count = 0; count < 2 * MAX_KEPT; count++) secrets.keep(`kept-${count}-later`)
  t.equal(secrets.kept.length, MAX_KEPT)
  t.equal(masks[0]!(`short-1 kept-${2 * MAX_KEPT - 1}-later`), 'short-1 [secret]')
})
