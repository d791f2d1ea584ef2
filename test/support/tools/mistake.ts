// A mistake that authors of tool files make, and the test that the log says the fix.
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import type { Test } from 'tap'
import { type App, build } from '../app.ts'
import { names, tempFolder } from '../tools-folder.ts'

export interface Mistake {
  readonly mistake: string
  /** The files of the folder; the mistake is in the first. */
  readonly files: Readonly<Record<string, string>>
  /** The reason in the log, or its end. */
  readonly says: string
  /** Whether the tool is served all the same. */
  readonly isServed?: boolean
  /** What the line names; default: the first file. */
  readonly of?: string
  /** Where it is in that file. */
  readonly line?: number
}

/** A tool with these fields, after what stands before it. */
export const tool = (fields: string, before = '') => ({
  'order.ts': `import { defineTool, Type } from 'toolrack'
${before}
export default defineTool({ name: 'order', description: 'Finds an order.', handler: () => 'found', ${fields} })`,
})
export const file = (source: string, name = 'order.ts') => ({ [name]: source })
// The folder has no packages of its own.
export const ZOD = `import { z } from '${import.meta.resolve('zod')}'`
export const prompt = (fields: string) =>
  file(`import { definePrompt } from 'toolrack'\n${ZOD}
export default definePrompt({ name: 'order', handler: () => '', ${fields} })`)
export const resource = (fields: string) =>
  file(`import { defineResource } from 'toolrack'
export default defineResource({ name: 'style', handler: () => '', ${fields} })`)

/** The texts of a line about a file: where it is, and why it is logged. */
interface Line {
  level: number
  file?: string
  line?: number
  reason?: string
}

export function testMistakes(t: Test, mistakes: readonly Mistake[]): void {
  t.setTimeout(120_000)
  const alike = mistakes.filter(isAlike)
  const shared: App[] = []
  t.before(async () => {
    for (let start = 0; start < alike.length; start += MAX_FOLDERS)
      shared.push(await serveAll(t, alike.slice(start, start + MAX_FOLDERS)))
  })
  for (const each of mistakes) {
    const { mistake, files, says, isServed = false, of, line } = each
    t.test(`a tool file with ${mistake}: the log names it and says the fix`, async t => {
      const app = shared[Math.floor(alike.indexOf(each) / MAX_FOLDERS)] ?? (await serveAll(t, [each]))

      const path = join(folderOf(each), of ?? Object.keys(files)[0]!)
      const lines: Line[] = app.logs.lines.filter(({ file: named, level }) => named?.endsWith(path) && level >= 40)
      t.equal(lines.length, 1)
      t.ok(lines[0]?.reason?.endsWith(says), String(lines[0]?.reason))
      if (line !== undefined) t.equal(lines[0]?.line, line)
      t.equal((await names(app)).includes('order'), isServed)
    })
  }

  t.test('each mistake is another one', t => {
    t.equal(new Set(mistakes.map(({ mistake }) => mistake)).size, mistakes.length)
    t.end()
  })
}

/** Of those whose tool is not served any number may be served together. */
const isAlike = ({ isServed = false }: Mistake) => !isServed

/** The most that a server has. */
const MAX_FOLDERS = 20

/** Each has a folder of its own. */
const folderOf = ({ mistake }: Mistake) => `of-${createHash('sha1').update(mistake).digest('hex')}`

const serveAll = (t: Test, mistakes: readonly Mistake[]) =>
  build(t, { toolsDir: mistakes.map(each => tempFolder(t, each.files, folderOf(each)).path), watchTools: false })
