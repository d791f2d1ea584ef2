// Secrets and keys that the documentation has one create go neither into a commit nor into an image.
import { spawnSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import picomatch from 'picomatch'
import t from 'tap'
import { createProjectFiles } from '../../packages/cli/src/project-files.ts'

/** Paths relative to the folder that one works in: `--file keys.json`, `> secrets/jwt_secret`, `./secrets/jwt_secret`. */
const CREATED =
  /(?:--file |_FILE=|^openssl .*> |file: \.\/)((?:secrets\/|api-keys\/)?[\w-]+(?:\.[a-z]+)?)(?=[\s,}]|$)/gm
const readCreated = (page: string) => [...readFileSync(page, 'utf8').matchAll(CREATED)].map(([, path]) => path!)

const created = new Set([
  '.env',
  '.env.production',
  'tools.env',
  'deploy/kubernetes/secret.yaml',
  // While a key is written.
  'keys.json.lock',
  ...['README.md', ...globSync('docs/**/*.md')].flatMap(readCreated),
])

t.test('the pages name the files that this test is about', async t => {
  for (const path of ['keys.json', 'api-keys/keys.json', 'secrets/jwt_secret']) t.ok(created.has(path), path)
})

t.test('.gitignore knows every file that the pages have one create', async t => {
  for (const path of created) t.equal(spawnSync('git', ['check-ignore', '-q', '--no-index', path]).status, 0, path)
})

/** The patterns of .dockerignore, or of .gitignore at the top of a small project; a folder stands for all in it. */
function createIgnored(lines: string): (path: string) => boolean {
  const patterns = lines.split('\n').filter(line => line !== '' && !line.startsWith('#'))
  return picomatch(
    patterns.flatMap(pattern => [pattern, `${pattern}/**`]),
    { dot: true },
  )
}

t.test('.dockerignore knows them, too', async t => {
  const isIgnored = createIgnored(readFileSync('.dockerignore', 'utf8'))

  for (const path of created) t.ok(isIgnored(path), path)
  t.notOk(isIgnored('src/auth/keys.ts'))
})

t.test('so do those of a new project', async t => {
  const files = createProjectFiles('my-tools')

  for (const name of ['.gitignore', '.dockerignore']) {
    const isIgnored = createIgnored(files[name]!)
    for (const path of created) if (!path.startsWith('deploy/')) t.ok(isIgnored(path), `${name}: ${path}`)
    t.notOk(isIgnored('tools/greet.ts'), name)
  }
})
