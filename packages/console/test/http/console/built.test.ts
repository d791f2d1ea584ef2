// The console as `npm run build` makes it, served as users get it.
import { readFileSync } from 'node:fs'
import t from 'tap'
import { build } from '../../../../../test/support/app.ts'
import { serverProgram } from '../../../../../test/support/servers/program.ts'

t.test('each page of the build loads files of its own, and runs nothing that stands in it', async t => {
  serverProgram()
  const app = await build(t)

  for (const name of ['', 'callback.html']) {
    const page = await app.inject(`/console/${name}`)
    t.equal(page.statusCode, 200, name)
    const links = [...page.body.matchAll(/(?:src|href)="([^"]+)"/g)]
      .map(([, link]) => link!)
      // The facts of the server are asked for before the script runs.
      .filter(link => !link.startsWith('data:') && link !== 'config.json')
    t.ok(links.length > 0)
    for (const link of links) {
      t.match(link, /^\.\/assets\//, 'relative')
      const file = await app.inject({
        url: new URL(link, 'http://localhost/console/').pathname,
        headers: { 'accept-encoding': 'br' },
      })
      t.equal(file.statusCode, 200, link)
      t.equal(file.headers['content-encoding'], 'br')
      t.match(file.headers['cache-control'], /immutable/)
      t.match(file.headers['content-type'], link.endsWith('.css') ? 'text/css' : 'javascript')
    }
    t.notMatch(page.body, /<script(?![^>]*\ssrc=)[^>]*>|<style| style="| on\w+="/)
  }
})

t.test('the licences of what it bundles are in the package, with those of the server', async t => {
  serverProgram()
  const licences = readFileSync('dist/LICENSES.txt', 'utf8')
  for (const name of ['preact', '@humanwhocodes/momoa', 'uplot', '@cfworker/json-schema', '@sinclair/typebox']) {
    t.match(licences, new RegExp(`^${name} \\d`, 'm'))
  }
  t.match(licences, 'Copyright (c) Jeremy Danyow', 'of a package that has only its name')
})
