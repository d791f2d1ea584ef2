// A files folder whose names are swapped while a tool uses them, and what must hold when the race is over.
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Test } from 'tap'
import { race, type Swap } from '../tools/file-swaps.ts'
import { openBelow, setting } from '../tools/shipped.ts'

/** Of each kind. RACES makes it longer. */
export const RACES = Number(process.env['RACES'] ?? 1000)

/** A files folder and secrets around it, in memory where that is to be had: a disk would take minutes. */
export function racedFolder(t: Test): string {
  const base = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'toolrack-races-'))
  t.teardown(() => rmSync(base, { recursive: true }))
  mkdirSync(join(base, 'root/inner'), { recursive: true })
  mkdirSync(join(base, 'root-evil'))
  for (const path of ['root/data.csv', 'root/inner/secret.csv']) writeFileSync(join(base, path), 'a\n1\n')
  for (const path of ['secret.csv', 'root-evil/secret.csv']) writeFileSync(join(base, path), 'secret\n1\n')
  symlinkSync('../root-evil', join(base, 'root/link'))
  setting(t, 'FILES_DIR', join(base, 'root'))
  return base
}

export type SwapOf = (base: string) => Swap

/** A folder that is swapped with a link to one outside, which holds a file of the same name. */
export const folderSwap: SwapOf = base => ({ one: join(base, 'root/inner'), other: join(base, 'root/link') })
export const refilledSwap: SwapOf = base => ({ ...folderSwap(base), steps: 'refill' })
export const remadeSwap: SwapOf = base => ({ one: join(base, 'root/inner'), other: '../root-evil', steps: 'remake' })
/** A file that is replaced by a link to one outside, and by a new file, in turn. */
export const fileSwap: SwapOf = base => ({ one: join(base, 'root/data.csv'), other: '../secret.csv', steps: 'replace' })

const isRefused = (outcome: string) => outcome.startsWith('ToolError: ')
const countOf = (seen: Readonly<Record<string, number>>, is: (outcome: string) => boolean) =>
  Object.entries(seen).reduce((sum, [outcome, times]) => (is(outcome) ? sum + times : sum), 0)
const isOne = (seen: Readonly<Record<string, number>>) => (seen['done'] ?? 0) > 50 && countOf(seen, isRefused) > 50

/** Both came often enough that the race was one; nothing outside has changed, nothing is open, nothing is left. */
function assertHeld(t: Test, base: string, { swaps, seen }: Awaited<ReturnType<typeof race>>): void {
  const told = `${swaps} swaps: ${JSON.stringify(seen)}`
  t.comment(told)
  t.equal(
    countOf(seen, outcome => !isRefused(outcome) && outcome !== 'done' && outcome !== 'none'),
    0,
    told,
  )
  t.ok(isOne(seen) && swaps > 50, told)
  for (const path of ['secret.csv', 'root-evil/secret.csv'])
    t.equal(readFileSync(join(base, path), 'utf8'), 'secret\n1\n')
  t.strictSame(readdirSync(base).sort(), ['root', 'root-evil', 'secret.csv'])
  t.strictSame(readdirSync(join(base, 'root-evil')), ['secret.csv'])
  t.strictSame(hiddenBelow(join(base, 'root')), [])
  t.strictSame(openBelow(base), [])
}

const hiddenBelow = (folder: string) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(name => name.includes('.toolrack-'))

/** Races each use of a path against what swaps it: by what is raced, the swap, what makes an attempt, and its path. */
export function raceAll(t: Test, raced: Record<string, readonly [SwapOf, (path: string) => Promise<Attempt>, string]>) {
  for (const [what, [swapOf, use, path]] of Object.entries(raced)) {
    t.test(`G2: ${RACES} races for ${what}: 0 escapes`, { timeout: 240_000 }, async t => {
      const base = racedFolder(t)

      const raced = await race(swapOf(base), RACES, { attempt: await use(path), isOne })

      assertHeld(t, base, raced)
    })
  }
}

/** @returns what came of it; `none` where there was nothing to try */
type Attempt = () => Promise<string>
