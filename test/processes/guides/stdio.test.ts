// docs/guides/stdio.md: the command serves who starts it, and clients get the entry that the page shows.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { guideProject, readPage } from '../../support/guide.ts'
import { request } from '../../support/request.ts'

const PAGE = 'docs/guides/stdio.md'
const page = readPage(PAGE)
const start = page.take('sh', 'npx toolrack start --stdio ./tools\n')
const connect = page.take('sh', 'toolrack connect')
const entry = page.take('json', 'mcpServers')

const NODE = '/usr/local/bin/node'
const HELLO = `export default { name: 'hello', description: 'Says hello.', handler: () => 'Hello' }\n// \n`

t.test('the command answers what it gets on stdin', async t => {
  const project = await guideProject(t, 'stdio', { 'tools/hello.mjs': HELLO })
  const { message } = request('tools/call', { name: 'hello' })
  const { code, stdout } = await project.run(`echo '${JSON.stringify(message)}' | ${start}`)

  t.equal(code, 0)
  t.match(JSON.parse(stdout), { result: { content: [{ text: 'Hello' }] } })
})

t.test('clients get the entry of the page', async t => {
  const project = await guideProject(t, 'stdio', { 'tools/hello.mjs': HELLO })
  const [common, client, write] = connect.trim().split('\n')
  const expected = entry.trim().replaceAll('/home/ada/project', project.folder).replace(NODE, process.execPath)

  t.equal((await project.run(common!)).stdout.trim(), expected)
  t.match((await project.run(client!)).stdout, expected.replaceAll(/^/gm, '  '))
  await project.run(`${write!.split('#')[0]} --file claude.json --yes`)
  t.strictSame(JSON.parse(readFileSync(join(project.folder, 'claude.json'), 'utf8')), JSON.parse(expected))
})

t.test('each block of the page was run', async t => {
  t.strictSame(page.left(), [])
})
