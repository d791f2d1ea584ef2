// The table of settings is joined from rows of several files.
import t from 'tap'
import { joinRows, optional } from '../../../src/config/setting-row.ts'
import { flag } from '../../../src/config/setting-types.ts'
import { SETTINGS } from '../../../src/config/settings.ts'

const DOOR_ON = optional({ option: 'door.on', type: flag, meaning: 'Whether it is open.' })

t.test('rows of a door stand beside those of the core', async t => {
  t.match(joinRows(SETTINGS, { DOOR_ON }), { PORT: { option: 'port' }, DOOR_ON: { option: 'door.on' } })
})

t.test('no two settings have one variable or one option', async t => {
  t.throws(() => joinRows(SETTINGS, { PORT: DOOR_ON }), { message: 'PORT is the name of two settings' })
  t.throws(() => joinRows(SETTINGS, { DOOR_PORT: SETTINGS.PORT }), { message: 'port is the name of two settings' })
})

t.test('each row says what it means', async t => {
  for (const [name, { meaning }] of Object.entries(SETTINGS)) t.match(meaning, /^\S.*\.$/s, name)
})
