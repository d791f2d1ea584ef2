// A server with the console itself, built for the tests, and a watched page that shows it.
import type { Locator, Page } from 'playwright-core'
import type { Test } from 'tap'
import { buildConsole } from '../../../scripts/build-console.ts'
import type { ServerOptions } from '../../../src/index.ts'
import { type Served, serveWithConsole } from '../console/app.ts'
import { createBuildFolder } from './build-folder.ts'
import { openPage, type PageOptions, type WatchedPage } from './page.ts'

const once: { built?: Promise<string> } = {}

async function buildOnce(): Promise<string> {
  const folder = createBuildFolder('console')
  await buildConsole(folder)
  return folder
}

/** Listens; closes with the test. */
export async function serveConsole(t: Test, options: ServerOptions): Promise<Served> {
  once.built ??= buildOnce()
  return serveWithConsole(t, options, await once.built)
}

/** @param route such as `tools/echo` */
export async function openConsole(
  t: Test,
  options: ServerOptions,
  route = 'tools',
  pageOptions: PageOptions = {},
): Promise<WatchedPage & Served> {
  const served = await serveConsole(t, options)
  const watched = await openPage(t, `${served.origin}/console/#/${route}`, pageOptions)
  await hasStatus(watched.page, /^Connected/)
  return { ...served, ...watched }
}

/** Waits for what the page says of the connection, or a part of it of its state. */
export const hasStatus = (page: Page | Locator, text: string | RegExp): Promise<void> =>
  page.getByRole('status').filter({ hasText: text }).first().waitFor({ state: 'attached' })

export const press = (page: Page | Locator, name: string): Promise<void> =>
  page.getByRole('button', { name, exact: true }).click()

/** The only place of it is below the state of the connection. */
export async function chooseRevision(page: Page, revision: string): Promise<void> {
  const connection = page.getByRole('button', { name: /^Connected/ })
  await connection.click()
  await page.getByRole('dialog', { name: 'Connection' }).getByLabel('Revision').selectOption(revision)
  await hasStatus(page, `Connected, ${revision}`)
  await page.keyboard.press('Escape')
  await page.getByRole('dialog', { name: 'Connection' }).waitFor({ state: 'detached' })
}

/** The pane that shows the call. */
export const findCall = (page: Page): Locator => page.getByRole('region', { name: 'Result', exact: true })

/** Waits for a text in it. */
export const inCall = (page: Page, text: string | RegExp): Promise<void> =>
  findCall(page).getByText(text).first().waitFor()
