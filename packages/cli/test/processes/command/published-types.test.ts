// The declarations of the package suffice for the modules that the pages show, without its sources.
import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { isAbsolute, join, resolve } from 'node:path'
import t from 'tap'
import { serverProgram } from '../../../../../test/support/servers/program.ts'

// Without what tap has every child load, which the compiler does not bear.
function compile(...args: string[]): string {
  const command = ['-u', 'NODE_OPTIONS', process.execPath, 'node_modules/typescript/bin/tsc', ...args]
  const { stdout, stderr } = spawnSync('env', command, { encoding: 'utf8' })
  return stdout + stderr
}

t.test(
  'the types of the package are those that docs/guides/library.md, docs/guides/testing.md and the README use',
  async t => {
    const folder = mkdtempSync(join(tmpdir(), 'toolrack-types-'))
    t.teardown(() => rmSync(folder, { recursive: true, force: true }))
    const options = {
      module: 'nodenext',
      target: 'es2024',
      strict: true,
      skipLibCheck: true,
      noEmit: true,
      allowImportingTsExtensions: true,
    }
    const { exports } = JSON.parse(readFileSync('package.json', 'utf8'))
    const entries = Object.entries<{ readonly types?: string }>(exports).filter(([, { types }]) => types !== undefined)
    const paths = Object.fromEntries(entries.map(([path, { types }]) => [join('toolrack', path), [resolve(types!)]]))
    const project = { compilerOptions: { ...options, types: ['node'], paths }, include: ['examples'] }
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(project))
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
    symlinkSync(resolve('node_modules'), join(folder, 'node_modules'))
    cpSync('test/support/examples', join(folder, 'examples'), { recursive: true })

    // The build writes them.
    serverProgram()
    const listed = compile('--project', join(folder, 'tsconfig.json'), '--listFiles').trim().split('\n')
    const files = listed.filter(isAbsolute).join('\n')

    t.strictSame(
      listed.filter(line => !isAbsolute(line)),
      [],
      'no errors',
    )
    t.match(files, /dist\/src\/index\.d\.ts/)
    t.notMatch(files, /node_modules\/(?:ioredis|bullmq)\//, 'none of what its user may not have')
  },
)
