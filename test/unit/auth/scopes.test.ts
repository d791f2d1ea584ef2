// Which scopes stand for which.
import t from 'tap'
import { Access } from '../../../src/auth/access.ts'
import { parseHierarchy, satisfies } from '../../../src/auth/scopes.ts'

const METADATA = 'https://x.example/m'
const caller = (...scopes: string[]) => ({ subject: 'alice', scopes })

t.test('without a hierarchy a scope stands for itself, letter for letter', async t => {
  t.ok(satisfies(['a', 'b'], 'b'))
  for (const granted of [[], ['B'], ['b '], ['bb'], ['*'], ['b:*'], ['__proto__']]) t.notOk(satisfies(granted, 'b'))
})

t.test('a broader scope stands for the narrower behind it, and never the other way', async t => {
  const hierarchy = parseHierarchy('admin>write>read, audit>read')

  for (const [granted, needed] of [
    ['admin', 'read'],
    ['admin', 'write'],
    ['write', 'read'],
    ['audit', 'read'],
  ] as const) {
    t.ok(satisfies([granted], needed, hierarchy))
    t.notOk(satisfies([needed], granted, hierarchy), `${needed} is no ${granted}`)
  }
  t.notOk(satisfies(['audit'], 'write', hierarchy))
  t.notOk(satisfies(['admin'], 'audit', hierarchy))
})

t.test('chains continue one another, and a circle ends', async t => {
  const chained = parseHierarchy('a>b, b>c, c>d')
  t.ok(satisfies(['a'], 'd', chained))
  t.notOk(satisfies(['d'], 'a', chained))

  const circle = parseHierarchy('a>b, b>a')
  t.ok(satisfies(['a'], 'b', circle) && satisfies(['b'], 'a', circle))
})

t.test('names of prototypes are names', async t => {
  const hierarchy = parseHierarchy('admin>__proto__>constructor')

  t.ok(satisfies(['admin'], 'constructor', hierarchy))
  t.notOk(satisfies(['admin'], 'toString', hierarchy))
})

t.test('what is no chain is refused', async t => {
  for (const text of ['', 'a', 'a>', '>a', 'a>>b', 'a>b c', 'a>"b"', 'a>b,', 'a>é', 'a>\\']) {
    t.throws(() => parseHierarchy(text), /expected chains of scopes/, text)
  }
})

t.test('B18: all scopes are needed, and the refusal names all of them and where to get them', async t => {
  const access = new Access({
    isOtherPage: () => false,
    toOriginSetting: () => '',
    hierarchy: undefined,
    toClientScopes: scopes => scopes,
    metadataUrl: METADATA,
    deniesByResult: false,
    isTaskVisible: () => true,
  })
  const needed = { scopes: ['a', 'b'], key: 'tool x"\r\ny' }

  t.doesNotThrow(() => access.assertMay(caller('b', 'a', 'c'), needed))
  t.doesNotThrow(() => access.assertMay(undefined, needed), 'nobody is verified')
  for (const each of [caller(), caller('a'), caller('b'), caller('a b')]) {
    t.match(refusalOf(access, each, needed), {
      reason: 'INSUFFICIENT_SCOPE',
      status: 403,
      challenge:
        /^Bearer error="insufficient_scope", error_description="[ -~]+", resource_metadata="https:\/\/x.example\/m", scope="a b"$/,
    })
  }
})

function refusalOf(access: Access, ...asked: Parameters<Access['assertMay']>): unknown {
  try {
    access.assertMay(...asked)
  } catch (error) {
    return error
  }
  return undefined
}
