// What a server is called: after the project of its tools, in a process of its own.
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { readPackageVersion } from '../../../../../src/config/environment.ts'
import { META_SERVER } from '../../../../../src/protocol/schemas/common.ts'
import { until } from '../../../../../test/support/eventually.ts'
import { callOver, start } from '../../../../../test/support/servers/own-process.ts'
import { serverProgram } from '../../../../../test/support/servers/program.ts'
import { source, tempFolder } from '../../../../../test/support/tools-folder.ts'

const ACME = '{"name":"@acme/prices","version":"2.3.4"}'

/** What it tells clients, and its operator. */
async function namesOf(t: Test, files: Record<string, string>, environment: Record<string, string> = {}) {
  const { path } = tempFolder(t, { 'tools/probe.ts': source('probe'), ...files }, 'project')
  const server = await start(t, serverProgram(), environment, path)
  const { body } = await callOver(server.url, 'probe')
  const findStarted = () => server.lines.find(({ msg }) => msg === 'started')
  await until(() => findStarted() !== undefined, 'it told of its start')
  return { told: body.result._meta[META_SERVER], started: findStarted().server }
}

const OURS = readPackageVersion()

for (const [what, files, environment, name, version] of [
  ['a project is named after it', { 'package.json': ACME }, {}, '@acme/prices', '2.3.4'],
  ['a folder without a package.json is toolrack', {}, {}, 'toolrack', OURS],
  [
    'SERVER_NAME alone leaves the version of the project',
    { 'package.json': ACME },
    { SERVER_NAME: 'prices' },
    'prices',
    '2.3.4',
  ],
  ['SERVER_NAME without a project has our version', {}, { SERVER_NAME: 'prices' }, 'prices', OURS],
  [
    'SERVER_VERSION alone leaves the name of the project',
    { 'package.json': ACME },
    { SERVER_VERSION: '9' },
    '@acme/prices',
    '9',
  ],
] as const) {
  t.test(`identity: ${what}`, async t => {
    t.strictSame(await namesOf(t, files, environment), { told: { name, version }, started: `${name} ${version}` })
  })
}

t.test('identity: of several folders, the project of the first', async t => {
  const other = tempFolder(t, { 'package.json': '{"name":"other"}', 'other.ts': source('other') }).path
  const { path } = tempFolder(t, { 'package.json': ACME, 'tools/probe.ts': source('probe') }, 'project')

  const server = await start(t, serverProgram(), { TOOLS_DIR: `${join(path, 'tools')},${other}` })

  t.match((await callOver(server.url, 'other')).body.result._meta[META_SERVER], { name: '@acme/prices' })
})
