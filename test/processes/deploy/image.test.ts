// What the image has of what the package leaves to its user: compose and the cluster set REDIS_URL.
import { readFileSync } from 'node:fs'
import t from 'tap'

interface Package {
  readonly dependencies: Readonly<Record<string, string>>
  readonly peerDependencies: Readonly<Record<string, string>>
  readonly devDependencies: Readonly<Record<string, string>>
  readonly workspaces: readonly string[]
}

const packageOf = (folder: string): Package => JSON.parse(readFileSync(`${folder}/package.json`, 'utf8'))
const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8'))
const root = packageOf('.')

t.test('the image has ioredis and bullmq, which a package has not', async t => {
  for (const name of ['ioredis', 'bullmq']) {
    t.notOk(name in root.dependencies)
    for (const { [name]: range } of [root.peerDependencies, root.devDependencies]) {
      t.equal(range, packageOf('deploy').dependencies[name], name)
    }
    // What npm writes beside it decides what `npm prune --omit=dev` takes away.
    const entry = packages[`node_modules/${name}`]
    for (const flag of ['dev', 'devOptional', 'optional', 'peer']) t.notOk(entry[flag], `${name} ${flag}`)
  }
})

t.test('npm ci of the image sees each workspace', async t => {
  const dockerfile = readFileSync('Dockerfile', 'utf8')

  for (const folder of root.workspaces) t.match(dockerfile, `COPY ${folder}/package.json ${folder}/`)
})
