// A server whose console is the gallery of views, built for the test, with the headers of the real one.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'
import type { Page } from 'playwright-core'
import type { Test } from 'tap'
import { CONSOLE_BUILD } from '../../../scripts/build-console.ts'
import type { ServerOptions } from '../../../src/index.ts'
import { faultsOf } from '../clients/faults.ts'
import { type Served, serveWithConsole } from '../console/app.ts'
import { createBuildFolder } from './build-folder.ts'
import { openPage, type PageOptions, type WatchedPage } from './page.ts'

const html = (script: string) => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>Gallery</title>
    <link rel="icon" href="data:," />
    <link rel="stylesheet" href="assets/styles.css" />
    <script type="module" src="assets/${script}.js"></script>
  </head>
  <body><div id="app"></div></body>
</html>`

const once: { built?: Promise<string> } = {}

async function buildGallery(): Promise<string> {
  const folder = createBuildFolder('gallery')
  await build({
    ...CONSOLE_BUILD,
    entryPoints: {
      gallery: 'packages/console/test/gallery/gallery.tsx',
      callback: 'packages/console/app/src/sign-in/callback.ts',
      styles: 'packages/console/app/src/styles.css',
    },
    outdir: join(folder, 'assets'),
    outbase: undefined,
    entryNames: '[name]',
  })
  writeFileSync(join(folder, 'index.html'), html('gallery'))
  writeFileSync(join(folder, 'callback.html'), html('callback'))
  return folder
}

/** A listening server with the gallery; it closes with the test. */
async function serveGallery(t: Test, options: ServerOptions): Promise<Served> {
  once.built ??= buildGallery()
  return serveWithConsole(t, options, await once.built)
}

/** The same, and a watched page with it. */
export async function openGallery(
  t: Test,
  options: ServerOptions = {},
  pageOptions: PageOptions = {},
): Promise<WatchedPage & Served> {
  faultsOf(t)
  const served = await serveGallery(t, options)
  return { ...served, ...(await openPage(t, `${served.origin}/console/`, pageOptions)) }
}

type View = 'result' | 'contents' | 'activity' | 'signIn'

/** Shows one of the views of packages/console/test/gallery/gallery.tsx. The value goes as JSON, which keeps keys such as `__proto__`. */
export const show = (page: Page, view: View, value: unknown = null): Promise<void> =>
  page.evaluate(([view, json]) => (globalThis as unknown as Views).gallery[view](JSON.parse(json)), [
    view,
    JSON.stringify(value),
  ] as const)

interface Views {
  readonly gallery: Readonly<Record<View, (value: unknown) => void>>
}
