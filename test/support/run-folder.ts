// Runs the test files of a folder in one process, one after the other: a process of its own costs each file a second.
import './without-domains.ts'
import { globSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { basename, dirname, join, relative } from 'node:path'
import { pathToFileURL } from 'node:url'
import t from 'tap'
import { startAsUsersDo } from './spawned.ts'
import { testsOfFiles } from './tests-of-files.ts'

/** The name of the file of a folder that runs the others. */
export const RUNNER = 'all.test.ts'

/** How long one file may take, ms; alone it may take as long as any other. */
const FILE_MS = 900_000
/** How long a folder may take, ms: a loop that holds the thread is ended only from outside. */
const FOLDER_MS = 2_700_000

/** The tests below `runner`'s folder, without those of folders that have a runner of their own. */
export function findTests(runner: string): string[] {
  const folder = dirname(runner)
  const others = globSync(join(folder, `*/**/${RUNNER}`)).map(dirname)
  return globSync(join(folder, '**/*.test.ts'))
    .filter(file => basename(file) !== RUNNER && !others.some(other => file.startsWith(`${other}/`)))
    .sort()
}

/**
 * Each file becomes one test, with its name, and is imported when the one before has ended.
 *
 * @param runner `import.meta.filename` of the folder's `all.test.ts`
 */
export async function runFolder(runner: string): Promise<void> {
  const files = findTests(runner)
  startAsUsersDo()
  giveEachItsOwnTest(files)
  t.setTimeout(Math.min(files.length * FILE_MS, FOLDER_MS))
  for (const file of files) {
    const name = relative(process.cwd(), file)
    const { href } = pathToFileURL(file)
    await t.test(name, { timeout: FILE_MS }, async t => {
      testsOfFiles.set(href, t)
      await import(href)
    })
    if (!testsOfFiles.get(href)?.counts.total) t.fail(`${name} has no tests`)
  }
}

/** What a file imports as `tap` is the test that stands for the file, instead of the one of the whole process. */
function giveEachItsOwnTest(files: readonly string[]): void {
  const urls = new Set(files.map(file => pathToFileURL(file).href))
  const tests = JSON.stringify(import.meta.resolve('./tests-of-files.ts'))
  registerHooks({
    resolve(specifier, context, next) {
      const parent = context.parentURL
      if (specifier !== 'tap' || parent === undefined || !urls.has(parent)) return next(specifier, context)
      return { url: `test-of:${parent}`, format: 'module', shortCircuit: true }
    },
    load(url, context, next) {
      if (!url.startsWith('test-of:')) return next(url, context)
      const file = JSON.stringify(url.slice('test-of:'.length))
      const source = `import { testsOfFiles } from ${tests}\nexport default testsOfFiles.get(${file})`
      return { source, format: 'module', shortCircuit: true }
    },
  })
}
