// Accessibility by axe-core. It comes by the debugger, so the policy of the page does not matter.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'
import type { Test } from 'tap'

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** Colours change in a transition, too. What turns for ever, such as a spinner, is not waited for. */
const SETTLED = `Promise.allSettled(document.getAnimations()
  .filter(each => Number.isFinite(each.effect.getComputedTiming().endTime)).map(each => each.finished))`

interface Violation {
  readonly id: string
  readonly help: string
  readonly nodes: readonly { readonly target: readonly string[]; readonly failureSummary: string }[]
}

/** The page has no violation, as it stands, in light and in dark. */
export async function assertAccessible(t: Test, page: Page, what: string): Promise<void> {
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(source)
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    await page.evaluate(SETTLED)
    const violations = (await page.evaluate('axe.run(document, { resultTypes: ["violations"] })')) as {
      violations: Violation[]
    }
    t.strictSame(violations.violations.map(describe), [], `${what} is accessible in ${colorScheme}`)
  }
  await page.emulateMedia({ colorScheme: null })
}

const describe = ({ id, help, nodes }: Violation) =>
  `${id}: ${help}: ${nodes.map(({ target, failureSummary }) => `${target.join(' ')} (${failureSummary})`).join('; ')}`
