// What create_record does, on the embedded database and on a server of PostgreSQL alike.
import { type App, call, callTool } from '../app.ts'
import { inTime, rowsOf } from './databases.ts'
import type { Contract } from './query-database-contract.ts'
import { errorOf } from './shipped.ts'

let made = 0
export const person = () => ({ name: 'Ada Lovelace', email: `ada${process.pid}.${++made}@example.org` })

export const create = (app: App, table: string, data: object) =>
  inTime(() => callTool(app, 'create_record', { table, data }))

async function countUsers(app: App): Promise<unknown> {
  return (await rowsOf(app, 'SELECT count(*) FROM users'))[0]?.[0]
}

export const KEY_OF = (table: string) => `create ${table}`
const KEY = KEY_OF('users.users')
const FORM = { capabilities: { elicitation: { form: {} } } }

/** A call whose user answers the question. */
export async function answered(app: App, data: object, answer: object) {
  const params = { name: 'create_record', arguments: { table: 'users.users', data } }
  const asked = (await call(app, 'tools/call', params, FORM)).result
  const again = { ...params, requestState: asked.requestState, inputResponses: { [KEY]: answer } }
  return { asked, result: (await call(app, 'tools/call', again, FORM)).result }
}

export const RECORD_CONTRACT: Contract = {
  'a row is stored with its defaults, and is read back': async (t, app) => {
    const data = { ...person(), tags: ['a', "b'"], preferences: { theme: 'dark' }, plan: 'team' }

    const { structuredContent } = await create(app, 'users.users', data)

    t.match(structuredContent, { table: 'users.users', record: { ...data, country: 'DE', is_active: true } })
    t.strictSame(await rowsOf(app, `SELECT name, tags FROM users WHERE email = '${data.email}'`), [
      [data.name, data.tags],
    ])
  },

  'values are values, whatever they look like': async (t, app) => {
    const name = "x'); DROP TABLE users.users; --"

    const { structuredContent } = await create(app, 'users', { ...person(), name })

    t.equal(structuredContent.record.name, name)
  },

  'names that are none of a column or a table are refused with what there is': async (t, app) => {
    t.match(
      errorOf(await create(app, 'users.users', { ...person(), 'name") SELECT 1 --': 1 })),
      /Columns: name\* \(text\)/,
    )
    t.match(errorOf(await create(app, 'users.users', { id: 1, ...person() })), /takes no id/)
    t.match(errorOf(await create(app, 'users.users', { name: 'x' })), /data lacks email/)
    t.match(errorOf(await create(app, 'nope', {})), /There is no table nope to insert into\. Tables: .*users\.users/)
    t.match(errorOf(await create(app, 'pg_catalog.pg_class', {})), /There is no table/)
    t.match(errorOf(await create(app, 'users" --', {})), /There is no table/)
  },

  'a value that breaks its type or a constraint is told, and nothing is created': async (t, app) => {
    const data = person()
    await create(app, 'users.users', data)
    const before = await countUsers(app)

    t.match(errorOf(await create(app, 'users.users', data)), /users_email_key.*Nothing was created/)
    t.match(
      errorOf(await create(app, 'users.users', { ...person(), plan: 'gold' })),
      /invalid input value for enum.* plan \(plan: free \| team \| enterprise\), /,
    )
    t.match(errorOf(await create(app, 'users.users', { ...person(), name: '' })), /users_name_check/)
    t.match(
      errorOf(await create(app, 'orders.orders', { user_id: 99_999 })),
      /orders_user_id_fkey.*key of a row that exists/,
    )
    t.match(
      errorOf(await create(app, 'users.users', { ...person(), name: 'x'.repeat(70_000) })),
      /more than 65536 bytes/,
    )
    t.equal(await countUsers(app), before)
  },

  'the user is asked where the client can, and only a yes creates': async (t, app) => {
    const before = Number(await countUsers(app))
    const yes = { action: 'accept', content: { confirm: true } }

    const declined = await answered(app, person(), { action: 'decline' })
    const unchecked = await answered(app, person(), { action: 'accept', content: { confirm: false } })
    const accepted = await answered(app, person(), yes)

    t.match(declined.asked.inputRequests[KEY].params.message, /^Create this record in users\.users\? \{"name":"Ada/)
    t.match(errorOf(declined.result), /declined\. Nothing was created/)
    t.match(errorOf(unchecked.result), /declined/)
    t.match(accepted.result.structuredContent.record, { name: 'Ada Lovelace' })
    t.equal(await countUsers(app), before + 1)
  },

  'the question shows each field, however long another one is, and marks that have no shape': async (t, app) => {
    const data = {
      name: 'x'.repeat(150),
      email: 'a@b\u202Ec',
      preferences: { a: 'y'.repeat(5000) },
      plan: 'enterprise',
    }

    const { asked } = await answered(app, data, { action: 'decline' })

    const { message } = asked.inputRequests[KEY].params
    t.match(message, /"name": "x{99}… \(and 52 more characters\), "email": "a@b\\u\{202e\}c", /)
    t.match(message, /… \(and 4\d{3} more characters\), "plan": "enterprise" \}$/)
  },

  'a number that JSON has rounded is refused; as a string it is taken': async (t, app) => {
    const data = { order_id: 1, product_id: 1, quantity: 2 ** 53, unit_price: '9007199254740993.01' }

    t.match(errorOf(await create(app, 'orders.items', data)), /Pass quantity as a string/)
    t.match(errorOf(await create(app, 'orders.items', { ...data, quantity: 1 })), /numeric field overflow/)
  },

  'what is refused is refused before the user is asked': async (t, app) => {
    const params = { name: 'create_record', arguments: { table: 'users', data: { name: 'x' } } }

    const { result } = await call(app, 'tools/call', params, FORM)

    t.match(errorOf(result), /data lacks email/)
  },
}
