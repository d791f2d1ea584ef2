// docs/guides/files.md: an image goes in by upload, as JSON and by URL, and a file comes out, by its commands.
import { once } from 'node:events'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { guideProject, readPage } from '../../support/guide.ts'

const page = readPage('docs/guides/files.md')
const start = page.take('sh', 'IMAGE_HOSTS=')
const upload = page.take('sh', '-F image=')
const json = page.take('sh', 'body.json')
const download = page.take('sh', '-OJ')
const save = page.take('sh', '--output out')

/** Of 3 by 2 points. */
const PHOTO = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAMAAAACCAIAAAASFvFNAAAAD0lEQVR4nGP4z8AARBAKAB/uA/08DYDNAAAAAElFTkSuQmCC',
  'base64',
)
const SIZE = { width: 3, height: 2 }

async function started(t: Test, env: Record<string, string> = {}, command = start) {
  const files = { 'tools/measure-image.ts': 'measure-image.ts', 'tools/export-orders.ts': 'export-orders.ts' }
  const project = await guideProject(t, 'files', files)
  writeFileSync(join(project.folder, 'photo.png'), PHOTO)
  await project.start(command, env)
  return project
}

t.test('an upload fills the argument', async t => {
  const project = await started(t)

  t.strictSame(JSON.parse((await project.run(upload)).stdout), SIZE)
})

t.test('JSON fills the argument', async t => {
  const project = await started(t)

  t.strictSame(JSON.parse((await project.run(json)).stdout), SIZE)
})

t.test('a URL counts if its host is one of the list, and what is too large is not read', async t => {
  const server = http.createServer(({ url }, response) => {
    if (url === '/moved.png') return void response.writeHead(302, { location: '/photo.png' }).end()
    response.end(url === '/photo.png' ? PHOTO : Buffer.alloc(800_000))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  t.teardown(() => server.close())
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  const project = await started(t, {}, start.replace('images.example', host))
  const ask = async (url: string) => {
    const { stdout } = await project.run(`curl -s http://127.0.0.1:3000/tools/measure_image -d url=${url}`)
    return JSON.parse(stdout)
  }

  t.strictSame(await ask(`http://${host}/photo.png`), SIZE)
  t.match(await ask(`http://${host}/large.png`), { detail: 'The image has more than 700000 bytes.' })
  t.match(await ask(`http://${host}/moved.png`), { status: 422 })
  t.match(await ask('http://169.254.169.254/latest'), { detail: `Only images of ${host} can be read.` })
})

t.test('what is not an image is refused', async t => {
  const project = await started(t)
  writeFileSync(join(project.folder, 'photo.png'), 'GIF89a and something more')

  t.match(JSON.parse((await project.run(json)).stdout), { status: 422, detail: 'This is not a PNG image.' })
})

t.test('the file comes out, by curl and by the command line', async t => {
  const project = await started(t)

  const { code, stdout, stderr } = await project.run(`${download}${save}`)

  t.equal(code, 0, stderr)
  t.match(stdout, 'orders-2026.csv')
  const read = (name: string) => readFileSync(join(project.folder, name), 'utf8')
  t.match(read('orders-2026.csv'), /^order,state,total\n2026-1,open,12\.50\n/)
  t.ok(existsSync(join(project.folder, 'out')))
  t.equal(read('out/orders-2026.csv'), read('orders-2026.csv'))
})

t.test('each block of the page was run', async t => {
  t.strictSame(page.left(), [])
})
