// Where the command line keeps its files, on each system.
import { join } from 'node:path'
import t from 'tap'
import { findConfigHome } from '../src/config-folder.ts'

for (const [platform, environment, expected] of [
  ['linux', { HOME: '/home/a' }, '/home/a/.config'],
  ['linux', { HOME: '/home/a', XDG_CONFIG_HOME: '/elsewhere' }, '/elsewhere'],
  ['darwin', { HOME: '/Users/a' }, '/Users/a/Library/Application Support'],
  ['darwin', { HOME: '/Users/a', XDG_CONFIG_HOME: '/elsewhere' }, '/elsewhere'],
  ['win32', { HOME: '/u/a', APPDATA: '/u/a/AppData/Roaming' }, '/u/a/AppData/Roaming'],
  ['win32', { HOME: '/u/a' }, '/u/a/AppData/Roaming'],
  ['linux', { HOME: '/home/a', XDG_CONFIG_HOME: '' }, '/home/a/.config'],
] as const) {
  t.test(`config home on ${platform} with ${JSON.stringify(environment)}`, async t => {
    t.equal(findConfigHome(environment, platform), join(expected))
  })
}
