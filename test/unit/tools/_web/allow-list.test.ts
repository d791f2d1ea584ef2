import t from 'tap'
import { allowListOf } from '../../../support/tools/web-servers.ts'

type Case = [setting: string, host: string, port: number, isAllowed: boolean]

const NAMES: Case[] = [
  ['wiki.internal', 'wiki.internal', 80, true],
  ['wiki.internal', 'wiki.internal', 8443, true],
  ['wiki.internal:8080', 'wiki.internal', 8080, true],
  ['wiki.internal:8080', 'wiki.internal', 80, false],
  ['WIKI.internal', 'wiki.internal', 80, true],
  ['wiki.internal', 'evil-wiki.internal', 80, false],
  ['wiki.internal', 'a.wiki.internal', 80, false],
  ['*.example.org', 'a.example.org', 80, true],
  ['*.example.org', 'a.b.example.org', 80, true],
  ['*.example.org', 'example.org', 80, false],
  ['*.example.org', 'evilexample.org', 80, false],
  ['bücher.example', 'xn--bcher-kva.example', 80, true],
  ['localhost', 'localhost', 3000, true],
  ['', 'localhost', 80, false],
]

for (const [setting, host, port, isAllowed] of NAMES) {
  t.test(`FETCH_ALLOW "${setting}": ${host}:${port} is ${isAllowed ? '' : 'not '}allowed`, async t => {
    t.equal(allowListOf('FETCH_ALLOW', setting).hasName(host, port), isAllowed)
  })
}

const ADDRESSES: Case[] = [
  ['10.1.2.3', '10.1.2.3', 80, true],
  ['10.1.2.3', '10.1.2.4', 80, false],
  ['10.1.2.3:8080', '10.1.2.3', 8080, true],
  ['10.1.2.3:8080', '10.1.2.3', 80, false],
  ['10.0.0.0/8', '10.255.0.1', 443, true],
  ['10.0.0.0/8', '11.0.0.1', 443, false],
  ['10.0.0.0/8:8080', '10.255.0.1', 443, false],
  ['10.0.0.0/8', '::ffff:10.0.0.1', 443, true],
  ['10.0.0.0/8', '::10.0.0.1', 443, false],
  ['fd00::1', 'fd00::1', 80, true],
  ['[fd00::1]', 'fd00::1', 80, true],
  ['[fd00::1]:8080', 'fd00::1', 80, false],
  ['fd00::/8', 'fdff::1', 80, true],
  ['[fd00::/8]:8080', 'fdff::1', 8080, true],
  ['[fd00::/8]:8080', 'fdff::1', 80, false],
  [' 10.0.0.1 , , 10.0.0.2 ', '10.0.0.2', 80, true],
  ['10.example.org', '10.0.0.1', 80, false],
]

for (const [setting, address, port, isAllowed] of ADDRESSES) {
  t.test(`FETCH_ALLOW "${setting}": ${address} at ${port} is ${isAllowed ? '' : 'not '}allowed`, async t => {
    t.equal(allowListOf('FETCH_ALLOW', setting).hasAddress(address, port), isAllowed)
  })
}

const MALFORMED = [
  'http://wiki.internal',
  'wiki.internal/path',
  'wiki.internal:',
  'wiki.internal:0',
  'wiki.internal:65536',
  'wiki:80:80',
  '*',
  '*.',
  'a.*.org',
  '.example.org',
  'a..b',
  'user@host',
  '10.0.0.0/33',
  '10.0.0.256',
  '127.1',
  '0x7f.0.0.1',
  'fd00::/129',
  '[fd00::1',
  'fe80::1%eth0',
  'a b',
  '10.0.0.0/-1',
  'ok.example, no good',
]

for (const setting of MALFORMED) {
  t.test(`FETCH_ALLOW ${JSON.stringify(setting)} is refused, saying what was expected`, async t => {
    t.throws(() => allowListOf('FETCH_ALLOW', setting), { message: /^FETCH_ALLOW has ".+", but expects host names, / })
  })
}
