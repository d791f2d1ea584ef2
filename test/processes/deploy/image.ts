// The image of the Dockerfile, and images that are built FROM it, made without a container engine.
import {
  chmodSync,
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join, posix } from 'node:path'
import { text as textOf } from 'node:stream/consumers'
import type { Test } from 'tap'
import { until } from '../../support/eventually.ts'
import { freePort } from '../../support/free-port.ts'
import { serverProgram } from '../../support/servers/program.ts'
import { type Instruction, parseDockerfile } from './dockerfile.ts'
import { copyOrLink, type Place } from './places.ts'

export interface Image {
  readonly place: Place
  readonly env: Readonly<Record<string, string>>
  readonly workdir: string
  readonly user: string
  readonly command: readonly string[]
  readonly healthcheck: readonly string[]
}

export interface Container {
  readonly url: string
  readonly lines: readonly string[]
  /** The status and the body of /ready. */
  ready(): Promise<{ status: number; body: { status: string; degraded?: string[] } }>
  /** The code with which HEALTHCHECK ends. */
  checkHealth(): Promise<number>
  exec(...words: string[]): Promise<{ code: number; output: string }>
  stop(): Promise<number | null>
}

/** Not below node_modules, where Node takes no types away. */
export function makePlace(t: Test, create: (root: string) => Place): Place {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'toolrack-image-')))
  t.teardown(() => rmSync(root, { recursive: true, force: true }))
  chmodSync(root, 0o755)
  return create(root)
}

/** Runs the last stage of the Dockerfile. What its first stage makes is what this repository has built. */
export async function buildImage(place: Place): Promise<Image> {
  serverProgram()
  const stage = parseDockerfile(readFileSync('Dockerfile', 'utf8')).at(-1)!
  const image = { place, env: {}, workdir: '/', user: 'root', command: [], healthcheck: [] }
  return runSteps(image, stage.instructions, '.')
}

/** Runs a Dockerfile that begins with FROM and the name of the image. */
export async function buildFrom(image: Image, dockerfile: string, context: string): Promise<Image> {
  const [stage, ...others] = parseDockerfile(dockerfile)
  if (others.length > 0) throw new Error('expected one stage')
  return runSteps(image, stage!.instructions, context)
}

async function runSteps(base: Image, instructions: readonly Instruction[], context: string): Promise<Image> {
  let image = base
  for (const instruction of instructions) image = await runStep(image, instruction, context)
  return image
}

async function runStep(image: Image, { keyword, flags, text, words }: Instruction, context: string): Promise<Image> {
  const inImage = (path: string) => posix.resolve(image.workdir, path)
  const onDisk = (path: string) => join(image.place.root, inImage(path))
  switch (keyword) {
    case 'ENV':
      return { ...image, env: { ...image.env, ...Object.fromEntries(words.map(word => splitAt(word, '='))) } }
    case 'WORKDIR':
      mkdirSync(onDisk(text), { recursive: true })
      return { ...image, workdir: inImage(text) }
    case 'USER':
      return { ...image, user: text }
    case 'CMD':
      return { ...image, command: words }
    case 'HEALTHCHECK':
      return { ...image, healthcheck: words }
    case 'ARG':
    case 'EXPOSE':
    case 'LABEL':
      return image
    case 'COPY': {
      const sources = words.slice(0, -1)
      const to = words.at(-1)!
      const isFolder = to.endsWith('/')
      if (flags['from'] !== 'build')
        for (const source of sources) copyFromContext(context, source, onDisk(to), isFolder)
      else
        for (const source of sources)
          copyFromBuild(posix.relative('/app', source), join(onDisk(to), isFolder ? basename(source) : ''))
      return image
    }
    case 'RUN': {
      const command = { words: ['sh', '-c', text], env: image.env, cwd: image.workdir, isReadOnly: false }
      const { code, output } = await finish(image.place.spawn({ ...command, isUser: image.user === 'node' }))
      if (code !== 0) throw new Error(`RUN ${text} ended with ${code}: ${output}`)
      return image
    }
    default:
      throw new Error(`no such step here: ${keyword}`)
  }
}

const splitAt = (word: string, mark: string): [string, string] => {
  const at = word.indexOf(mark)
  return [word.slice(0, at), word.slice(at + 1)]
}

/** A file or folder that the first stage has made: the tests have built it, or installed it. */
function copyFromBuild(source: string, to: string): void {
  if (source !== 'node_modules') linkInto(dirname(to), [source])
  else for (const [folder, names] of findProduction()) linkInto(join(dirname(to), folder), names)
}

/** What `npm prune --omit=dev` leaves, by the same flags of the lockfile: packages by their folder. */
function findProduction(): Map<string, string[]> {
  const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8'))
  const found = new Map<string, string[]>()
  for (const [path, { dev, link }] of Object.entries<{ dev?: boolean; link?: boolean }>(packages)) {
    // Those within another come with it.
    if (!/^node_modules\/(?:@[^/]+\/)?[^/]+$/.test(path) || dev || link || !existsSync(path)) continue
    found.set(dirname(path), [...(found.get(dirname(path)) ?? []), path])
  }
  return found
}

function linkInto(folder: string, paths: readonly string[]): void {
  mkdirSync(folder, { recursive: true })
  copyOrLink('-t', folder, ...paths)
}

/** A folder's content, or files, of which a pattern may name several. */
function copyFromContext(context: string, source: string, to: string, isFolder: boolean): void {
  const found = globSync(source, { cwd: context })
  if (found.length === 0) throw new Error(`COPY: there is no ${source}`)
  for (const name of found) {
    const path = join(context, name)
    const isFile = statSync(path).isFile()
    cpSync(path, isFile && isFolder ? join(to, basename(name)) : to, { recursive: true })
  }
}

async function finish(child: ReturnType<Place['spawn']>): Promise<{ code: number; output: string }> {
  const ended = new Promise<number>(resolve => child.once('close', code => resolve(code ?? -1)))
  const [code, stdout, stderr] = await Promise.all([ended, textOf(child.stdout!), textOf(child.stderr!)])
  return { code, output: stdout + stderr }
}

/** `docker run --read-only --cap-drop ALL` with `env`; it is gone with the test. */
export async function runContainer(t: Test, image: Image, env: Record<string, string> = {}): Promise<Container> {
  const port = await freePort()
  const all = { ...image.env, ALLOW_ANONYMOUS: 'true', HOST: '127.0.0.1', PORT: String(port), ...env }
  const contained = { env: all, cwd: image.workdir, isUser: image.user === 'node', isReadOnly: true }
  const child = image.place.spawn({ ...contained, words: image.command })
  const ended = new Promise<number | null>(resolve => child.once('close', resolve))
  t.teardown(async () => {
    child.kill('SIGKILL')
    await ended
  })
  const lines: string[] = []
  for (const output of [child.stdout!, child.stderr!])
    output.setEncoding('utf8').on('data', (chunk: string) => lines.push(...chunk.split('\n').filter(Boolean)))
  const exec = (...words: string[]) => finish(image.place.spawn({ ...contained, words }))
  const base = `http://127.0.0.1:${port}`
  await until(async () => {
    if (child.exitCode !== null) throw new Error(`it ended: ${lines.join('\n')}`)
    return (await fetch(`${base}/health`).catch(() => undefined))?.ok
  }, 'it lives')
  return {
    url: `${base}/mcp`,
    lines,
    ready: async () => {
      const response = await fetch(`${base}/ready`)
      return { status: response.status, body: (await response.json()) as { status: string } }
    },
    checkHealth: async () => (await exec(...image.healthcheck)).code,
    exec,
    stop: () => {
      child.kill('SIGTERM')
      return ended
    },
  }
}
