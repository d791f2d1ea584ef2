// A rolling update to tools that do not load: the old replica goes on, the new one says why, and an
// update that is mended takes over without a call that fails.
import t, { type Test } from 'tap'
import { until } from '../../support/eventually.ts'
import { type Process, start } from '../../support/servers/own-process.ts'
import { serverProgram } from '../../support/servers/program.ts'
import { type Files, source, tempFolder } from '../../support/tools-folder.ts'
import { Orchestrator } from './orchestrator.ts'

/** A pod of an image with these tools, as the image sets it. */
async function startPod(t: Test, files: Files, environment: Record<string, string> = {}) {
  const folder = tempFolder(t, files)
  const pod = await start(t, serverProgram(), { NODE_ENV: 'production', TOOLS_DIR: folder.path, ...environment })
  return { pod, folder }
}

async function readyOf({ port }: Process): Promise<{ status: number; degraded: string[] }> {
  const response = await fetch(`http://127.0.0.1:${port}/ready`)
  const { degraded = [] } = (await response.json()) as { degraded?: string[] }
  return { status: response.status, degraded }
}

const BROKEN = "import { nothing } from './_missing.js'\nexport default { name: 'broken', handler: nothing }\n"

t.test('a rollout of a tool that does not load leaves the old replica, and the next one takes over', async t => {
  const service = new Orchestrator()
  const { pod: old } = await startPod(t, { 'price.js': source('price', { answer: 'v1' }) })
  t.equal(await service.rollOut(old), 'rolled out')

  const { pod: broken } = await startPod(t, { 'price.js': source('price', { answer: 'v2' }), 'broken.js': BROKEN })
  t.equal(await service.rollOut(broken), 'failed')
  t.strictSame(service.ready, [old])
  t.equal(await service.call('price'), 'v1')
  t.equal(await service.isAlive(broken), true, 'it is not restarted')
  t.match(await readyOf(broken), { status: 503, degraded: [/broken\.js.*missing\.js/] })
  t.notMatch((await readyOf(broken)).degraded.join(), /price/)

  const { pod: mended } = await startPod(t, { 'price.js': source('price', { answer: 'v3' }) })
  const answers: string[] = []
  let isOver = false
  const clients = (async () => {
    while (!isOver) answers.push(await service.call('price'))
  })()
  t.equal(await service.rollOut(mended), 'rolled out')
  await until(() => answers.at(-1) === 'v3', 'the new one answers')
  isOver = true
  await clients

  t.strictSame(
    [...new Set(answers)].filter(answer => answer !== 'v1'),
    ['v3'],
  )
  t.equal(await old.exited, 0)
})

t.test('a mounted folder that is mended makes the new replica ready, where it is', async t => {
  const service = new Orchestrator()
  const { pod: old } = await startPod(t, { 'price.js': source('price', { answer: 'v1' }) })
  await service.rollOut(old)
  const { pod, folder } = await startPod(
    t,
    { 'price.js': source('price', { answer: 'v2' }), 'broken.js': BROKEN },
    { WATCH_TOOLS: 'true' },
  )
  t.equal(await service.rollOut(pod), 'failed')

  folder.write({ '_missing.js': 'export const nothing = () => 1' })

  await until(async () => (await readyOf(pod)).status === 200, 'it is ready')
  t.equal(await service.rollOut(pod), 'rolled out')
  t.equal(await service.call('price'), 'v2')
})

t.test('a replica that was ready stays so when its tools break', async t => {
  const service = new Orchestrator()
  const { pod, folder } = await startPod(t, { 'price.js': source('price') }, { WATCH_TOOLS: 'true' })
  await service.rollOut(pod)

  folder.write({ 'price.js': 'export default {' })

  await until(async () => (await readyOf(pod)).degraded.length > 0, 'it says so')
  t.equal((await readyOf(pod)).status, 200)
  t.equal(await service.call('price'), 'price')
})

t.test('without strictness the same update takes over with the tools that load', async t => {
  const service = new Orchestrator()
  const files = { 'price.js': source('price', { answer: 'v2' }), 'broken.js': BROKEN }
  const { pod } = await startPod(t, files, { TOOLS_STRICT: 'false' })

  t.equal(await service.rollOut(pod), 'rolled out')
  t.equal(await service.call('price'), 'v2')
})
