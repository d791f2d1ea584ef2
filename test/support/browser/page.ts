// A page that is watched: a test fails if a page logs an error, throws, breaks its policy, or asks another origin.
import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import type { Test } from 'tap'
import { faultsOf } from '../clients/faults.ts'
import { openContext } from './chromium.ts'

export interface PageOptions extends BrowserContextOptions {
  /** Origins beside that of the page which it may ask. */
  readonly origins?: readonly string[]
  /** Errors in the console of the browser that the test brings about. */
  readonly expected?: readonly RegExp[]
}

export interface WatchedPage {
  readonly page: Page
  readonly context: BrowserContext
  /** What must not be, so far. */
  readonly faults: readonly Error[]
  /** Every URL that was asked for, of all its windows. */
  readonly requests: string[]
}

/** Opens a URL. The test ends without faults, or fails; call `faultsOf` before what closes with the test is made. */
export async function openPage(t: Test, url: string, options: PageOptions = {}): Promise<WatchedPage> {
  const { origins = [], expected = [], ...contextOptions } = options
  const faults = faultsOf(t)
  const context = await openContext(t, contextOptions)
  const requests: string[] = []
  const note = (fault: string) => {
    if (!expected.some(pattern => pattern.test(fault))) faults.push(new Error(fault))
  }
  const own = new Set([new URL(url).origin, ...origins])
  context.on('request', request => {
    const asked = request.url()
    requests.push(asked)
    if (/^https?:/.test(asked) && !own.has(new URL(asked).origin)) note(`asked ${asked}`)
  })
  context.on('page', page => watch(page, note))
  await context.addInitScript(reportViolations)
  const page = await context.newPage()
  await page.goto(url)
  return { page, context, faults, requests }
}

function watch(page: Page, note: (fault: string) => void): void {
  page.on('console', message => {
    if (message.type() === 'error' || message.type() === 'warning')
      note(`${message.type()}: ${message.text()} ${message.location().url}`)
  })
  page.on('pageerror', error => note(`threw: ${error.message}`))
  page.on('dialog', dialog => {
    note(`dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
}

// Runs in the browser. As text, since these tests are compiled without the types of the DOM.
const reportViolations = `
  document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI, sample }) =>
    console.error('policy: ' + violatedDirective + ' ' + blockedURI + ' ' + sample))
`
