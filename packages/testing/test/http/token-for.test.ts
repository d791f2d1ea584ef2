// testTools in the place of an authorization server: what a handler asks, and what it is given.
import t from 'tap'
import { defineTool, Type } from '../../../../src/index.ts'
import { testTools } from '../../src/index.ts'

const reports = defineTool({
  name: 'reports',
  inputSchema: Type.Object({ scope: Type.Optional(Type.String()) }),
  async handler({ scope }, { caller }) {
    const token = await caller?.tokenFor({ audience: 'reports', scope })
    return `with ${token}`
  },
})
const fails = defineTool({
  name: 'fails',
  async handler(_args, { caller }) {
    throw new Error(`401 for ${await caller!.tokenFor({ audience: 'reports' })}`)
  },
})
const ann = { subject: 'ann', claims: { tenant: 'acme' } }

t.test('tokenFor gives the tokens, and sees what is asked for and by whom', async t => {
  const asked: object[] = []
  await using tools = await testTools([reports, fails], {
    caller: ann,
    tokenFor: request => {
      asked.push(request)
      return `token of ${request.caller.subject}`
    },
  })

  t.equal((await tools.call('reports', { scope: 'b a' })).text, 'with token of ann')
  t.equal((await tools.call('reports', {}, { caller: { subject: 'bob' } })).text, 'with token of bob')
  t.match(asked, [
    { audience: 'reports', resource: undefined, scope: 'a b', caller: ann },
    { audience: 'reports', scope: undefined, caller: { subject: 'bob' } },
  ])
  t.equal((await tools.call('fails')).text, '401 for [secret]', 'masked, as by a server')
})

t.test('it may wait, and may refuse', async t => {
  await using tools = await testTools(reports, {
    caller: ann,
    tokenFor: async ({ scope }) => {
      if (scope === 'write') throw new Error('the user has not consented')
      return 'later'
    },
  })
  t.equal((await tools.call('reports')).text, 'with later')
  t.match(await tools.call('reports', { scope: 'write' }), { isError: true, text: 'the user has not consented' })
})

t.test('what a server would refuse is refused, and no token is made up', async t => {
  const wrong = defineTool({ name: 'wrong', handler: (_args, { caller }) => caller!.tokenFor({}) })
  await using tools = await testTools(wrong, { caller: ann, tokenFor: () => 'x' })
  t.match(await tools.call('wrong'), { isError: true, text: /^tokenFor: expected an audience/ })
  await using odd = await testTools(reports, { caller: ann, tokenFor: () => undefined as never })
  t.match(await odd.call('reports'), { isError: true, text: /expected the text of a token/ })
})

t.test('without the option, the error of the handler names it', async t => {
  await using tools = await testTools(reports, { caller: ann })
  t.match(await tools.call('reports'), { isError: true, text: /give testTools a tokenFor/ })
  t.equal((await tools.call('reports', {}, { caller: undefined })).text, 'with undefined', 'nobody has no token')
})

t.test('a misspelt option is refused', async t => {
  await t.rejects(testTools(reports, { tokenfor: () => 'x' } as never), /did you mean tokenFor/)
})
