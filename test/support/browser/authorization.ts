// The user of a browser at the authorization server: fills in each form that a window shows.
import type { BrowserContext, Page } from 'playwright-core'
import type { User } from '../clients/user-agent.ts'

/** In every window that this browser opens from now on. */
export function answerForms(context: BrowserContext, user: User): void {
  context.on('page', window => {
    window.on('load', () =>
      answer(window, user).catch(() => {
        // The window closes as soon as it is back at the console.
      }),
    )
  })
}

/** Each form once, however often its window says that it has loaded. */
async function answer(window: Page, { account, grants }: User): Promise<void> {
  const fields = [['account', account], ...grants.map(grant => ['grant', grant])]
  await window.evaluate(`
    for (const form of document.querySelectorAll('form[data-prompt]')) {
      form.removeAttribute('data-prompt')
      for (const [name, value] of ${JSON.stringify(fields)})
        form.append(Object.assign(document.createElement('input'), { type: 'hidden', name, value }))
      form.submit()
    }`)
}
