// What `npm publish` would publish.
import { globSync, readFileSync } from 'node:fs'
import { dirname, isAbsolute, join, resolve } from 'node:path'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'
import t from 'tap'
import { run, THIS_NODE } from '../../support/installed-package.ts'
import { unpackPackage } from '../../support/packed-package.ts'
import { tempFolder } from '../../support/tools-folder.ts'

const PACKAGES = ['.', 'packages/create']

for (const source of PACKAGES) {
  t.test(`${source}: npm publish has nothing to warn of`, async t => {
    // It asks the registry which versions there are, and does without an answer.
    const registry = ['--registry=http://127.0.0.1:1', '--fetch-retries=0']
    const args = ['publish', '--dry-run', '--ignore-scripts', ...registry, resolve(source)]
    const { status, stderr } = run(THIS_NODE, tempFolder(t).path, ['npm', ...args])
    const warnings = stderr.split('\n').filter(line => /^npm (?:warn|error)/i.test(line))

    t.equal(status, 0, stderr)
    t.strictSame(
      warnings.filter(line => !line.includes('requires you to be logged in')),
      [],
    )
  })

  t.test(`${source}: publint finds nothing in what is packed`, async t => {
    const pkgDir = unpackPackage(t, tempFolder(t).path, source)
    const manifest = JSON.parse(readFileSync(join(pkgDir, 'package.json'), 'utf8'))

    const { messages } = await publint({ pkgDir, pack: false, strict: true })

    t.strictSame(
      messages.map(message => formatMessage(message, manifest)),
      [],
    )
    for (const field of ['author', 'bugs', 'engines', 'homepage', 'license', 'repository']) t.ok(manifest[field], field)
  })
}

t.test('sources are in the maps: ours, by paths from the package, and none of what is bundled', async t => {
  const folder = unpackPackage(t, tempFolder(t).path)
  const programs = globSync('dist/src/**/*.js', { cwd: folder })
  const withContent = new Set<string>()

  for (const program of programs) {
    const map = JSON.parse(readFileSync(join(folder, `${program}.map`), 'utf8'))
    for (const [index, source] of map.sources.entries() as ArrayIterator<[number, string]>) {
      const path = join(dirname(program), source)
      t.notOk(isAbsolute(source), source)
      const isBundled = path.includes('node_modules') || source.includes(':')
      t.equal(map.sourcesContent[index] === null, isBundled, path)
      if (!isBundled) withContent.add(path)
    }
  }

  t.ok(programs.length > 10)
  for (const path of [
    'src/app.ts',
    'src/config/settings.ts',
    'packages/testing/src/test-tools.ts',
    'plugins/errors.ts',
  ])
    t.ok(withContent.has(path), path)
})

t.test('its pages link to nothing that is not packed', async t => {
  const folder = unpackPackage(t, tempFolder(t).path)
  const packed = new Set(globSync('**/*', { cwd: folder }))
  const pages = [...packed].filter(path => path.endsWith('.md'))

  for (const page of pages) {
    const prose = readFileSync(join(folder, page), 'utf8').replace(/^```[\s\S]*?^```/gm, '')
    for (const [, target = ''] of prose.replace(/`[^`\n]*`(?!\])/g, '').matchAll(/\]\(([^)\s#]+)/g))
      if (!/^https?:/.test(target)) t.ok(packed.has(join(dirname(page), target)), `${page}: ${target}`)
  }
  t.ok(pages.length > 20)
})
