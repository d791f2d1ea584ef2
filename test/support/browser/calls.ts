// What a user does to call a tool.
import type { Page } from 'playwright-core'

/** Opens a tool by its address, as a link does. */
export const openTool = (page: Page, name: string): Promise<void> => goTo(page, `tools/${name}`)

/** @param route such as `messages` */
export async function goTo(page: Page, route: string): Promise<void> {
  await page.evaluate(`location.hash = '#/${route}'`)
}

/** Presses Call below the arguments of the open tool. */
export const pressCall = (page: Page): Promise<void> =>
  page
    .getByRole('region', { name: 'Arguments' })
    .getByRole('button', { name: /^Call(?! anyway)/ })
    .click()
