// Whose state is whose: an issuer, a subject, and a tenant where a claim names one.
import t from 'tap'
import type { Caller } from '../../../src/request/exchange.ts'
import { Owners } from '../../../src/request/owners.ts'

const caller = (subject: string, tenant?: unknown, issuer: string | undefined = 'https://as'): Caller => ({
  issuer,
  subject,
  scopes: [],
  ...(tenant !== undefined && { claims: { tenant } }),
})

t.test('without a tenant claim an owner is what it was in every release: a rolling update keeps sessions', async t => {
  const owners = new Owners(undefined)

  t.equal(owners.find(undefined), undefined)
  t.equal(owners.find(caller('alice', 'acme')), '["https://as","alice"]')
  t.equal(owners.find(caller('alice', 'globex')), '["https://as","alice"]')
  t.equal(owners.find({ subject: 'alice', scopes: [] }), '[null,"alice"]')
  t.equal(owners.findTenant(caller('alice', 'acme')), undefined)
  t.equal(owners.hasTenants, false)
})

t.test('owners cannot be made to look like one another', async t => {
  const owners = new Owners(undefined)
  const pairs = [
    ['a', 'b","c'],
    ['a","b', 'c'],
    ['a', 'b'],
    ['a,b', ''],
  ] as const

  t.equal(new Set(pairs.map(([issuer, subject]) => owners.find(caller(subject, undefined, issuer)))).size, pairs.length)
  t.not(owners.find({ subject: 'a', scopes: [] }), owners.find(caller('a', undefined, 'null')))
})

const LONG = 'x'.repeat(4000)
const TENANTS = [
  ...['acme', 'Acme', 'acme ', '', 'null', 'undefined', '"acme"', 'acme","b', '1', '["acme"]', '#', '__proto__'],
  ...[1, 0, true, false, ['acme'], ['acme', 'b'], [['acme']], {}, { acme: 1 }, `${LONG}a`, `${LONG}b`],
]

t.test('one subject is another owner in each tenant, and without one', async t => {
  const owners = new Owners('tenant')
  const found = TENANTS.map(tenant => owners.find(caller('alice', tenant))!)

  t.equal(new Set(found).size, TENANTS.length)
  t.notOk(found.includes(owners.find(caller('alice'))!), 'a caller without the claim')
  t.notOk(found.includes(new Owners(undefined).find(caller('alice'))!), 'and what there was before there were tenants')
  t.not(owners.find(caller('alice')), new Owners(undefined).find(caller('alice')))
  for (const owner of found) t.ok(owner.length < 700)
})

t.test('a new token of the same subject and tenant is the same owner', async t => {
  const owners = new Owners('tenant')

  for (const tenant of [...TENANTS, undefined])
    t.equal(owners.find(caller('alice', tenant)), owners.find(caller('alice', structuredClone(tenant))))
  t.not(owners.find(caller('alice', 'acme')), owners.find(caller('bob', 'acme')))
  t.not(owners.find(caller('alice', 'acme')), owners.find(caller('alice', 'acme', 'https://other')))
})

t.test('parts of an owner cannot move between subject and tenant', async t => {
  const owners = new Owners('tenant')
  const pairs = [
    ['a', 'b'],
    ['a","b', undefined],
    ['a",null', undefined],
    ['a","\\"b\\""', ''],
    ['a', undefined],
  ] as const

  t.equal(new Set(pairs.map(([subject, tenant]) => owners.find(caller(subject, tenant)))).size, pairs.length)
})

t.test('a tenant is the same for all issuers and subjects, and another for each value', async t => {
  const owners = new Owners('tenant')

  t.equal(owners.findTenant(caller('alice', 'acme')), owners.findTenant(caller('bob', 'acme', 'toolrack')))
  t.equal(new Set(TENANTS.map(tenant => owners.findTenant(caller('alice', tenant)))).size, TENANTS.length)
  t.equal(owners.findTenant(caller('alice')), undefined)
  t.equal(owners.findTenant(undefined), undefined)
})

t.test('a claim is read from the caller itself, not from what all objects have', async t => {
  for (const claim of ['constructor', 'toString', '__proto__'])
    t.equal(new Owners(claim).findTenant({ subject: 'alice', scopes: [], claims: {} }), undefined)
})
