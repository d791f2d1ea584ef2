// Which files analyze_csv opens: regular ones within FILES_DIR, and nothing else by any path.
import { execFileSync } from 'node:child_process'
import { linkSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { callTool } from '../../../support/app.ts'
import { errorOf, filesFolder, openBelow, serve, setting } from '../../../support/tools/shipped.ts'

async function analyze(t: Test, filepath: string) {
  return callTool(await serve(t, 'analyze_csv'), 'analyze_csv', { filepath })
}

t.test('analyze_csv: a file in a folder of the files folder is read, and closed', async t => {
  const base = filesFolder(t)

  const result = await analyze(t, 'sales/2026.csv')

  t.match(result.structuredContent, { columns: [{ name: 'a', sum: 2 }] })
  t.strictSame(openBelow(base), [])
})

t.test('analyze_csv: a file with a fault is closed too', async t => {
  const base = filesFolder(t)
  writeFileSync(join(base, 'root/bad.csv'), 'a\n"1\n')

  const result = await analyze(t, 'bad.csv')

  t.match(errorOf(result), /never closed/)
  t.strictSame(openBelow(base), [])
})

t.test('analyze_csv: the files folder itself may be a link', async t => {
  const base = filesFolder(t)
  symlinkSync('root', join(base, 'link'))
  setting(t, 'FILES_DIR', join(base, 'link'))

  const result = await analyze(t, 'data.csv')

  t.match(result.structuredContent, { columns: [{ sum: 1 }] })
})

t.test('analyze_csv: without FILES_DIR a file is refused, saying so', async t => {
  setting(t, 'FILES_DIR', undefined)

  const result = await analyze(t, 'data.csv')

  t.match(errorOf(result), /FILES_DIR is not set\. Pass the text as csv instead/)
})

t.test('analyze_csv: a FILES_DIR that is not there is an error without its path', async t => {
  const base = filesFolder(t)
  setting(t, 'FILES_DIR', join(base, 'gone'))

  const result = await analyze(t, 'data.csv')

  t.match(errorOf(result), /The folder that FILES_DIR names cannot be read/)
  t.notMatch(errorOf(result), 'gone')
})

const PATHS = [
  '../secret.csv',
  'sales/../../secret.csv',
  'sales/../data.csv',
  '../root-evil/secret.csv',
  './data.csv',
  '.',
  '..',
  '/etc/passwd',
  '//etc/passwd',
  '/',
  'sales//2026.csv',
  'sales/',
  '..\\secret.csv',
  'sales\\2026.csv',
  'data.csv\0.txt',
  'C:\\secret.csv',
  'CON',
  'data.csv.',
]

for (const path of PATHS) {
  t.test(`analyze_csv: the path ${JSON.stringify(path)} is refused`, async t => {
    filesFolder(t)

    const result = await analyze(t, path)

    t.match(errorOf(result), /is refused\. Use a path relative to the files folder/)
  })
}

const MISSING = ['nope.csv', 'nope/data.csv', 'data.csv/x', '..%2fsecret.csv', '~/x', 'a'.repeat(255)]

for (const path of MISSING) {
  t.test(`analyze_csv: there is no file ${path.slice(0, 20)}`, async t => {
    filesFolder(t)

    const result = await analyze(t, path)

    t.match(errorOf(result), /There is no readable (?:file|folder)/)
  })
}

t.test('analyze_csv: an absolute path into the files folder is refused as well', async t => {
  const base = filesFolder(t)

  const result = await analyze(t, join(base, 'root/data.csv'))

  t.match(errorOf(result), /is refused/)
})

t.test('analyze_csv: a path of 5,000 characters is refused by its length', async t => {
  filesFolder(t)

  const result = await analyze(t, 'a/'.repeat(2500))

  t.match(errorOf(result), /filepath must NOT have more than 1024 characters/)
})

const LINKS: Record<string, (base: string) => string> = {
  'a link to a file outside': base => {
    symlinkSync(join(base, 'secret.csv'), join(base, 'root/x.csv'))
    return 'x.csv'
  },
  'a link to a file inside': base => {
    symlinkSync('data.csv', join(base, 'root/x.csv'))
    return 'x.csv'
  },
  'a link to a folder outside': base => {
    symlinkSync('../root-evil', join(base, 'root/x'))
    return 'x/secret.csv'
  },
  'a chain of links': base => {
    symlinkSync('../../secret.csv', join(base, 'root/sales/b.csv'))
    symlinkSync('sales/b.csv', join(base, 'root/a.csv'))
    return 'a.csv'
  },
  'a link to the root of the system': base => {
    symlinkSync('/proc/self/root', join(base, 'root/x'))
    return 'x/etc/passwd'
  },
  'a link to a device': base => {
    symlinkSync('/dev/zero', join(base, 'root/zero'))
    return 'zero'
  },
  'a hard link to a file outside': base => {
    linkSync(join(base, 'secret.csv'), join(base, 'root/x.csv'))
    return 'x.csv'
  },
}

for (const [what, make] of Object.entries(LINKS)) {
  t.test(`analyze_csv: ${what} is refused`, async t => {
    const path = make(filesFolder(t))

    const result = await analyze(t, path)

    t.match(errorOf(result), /is refused/)
  })
}

t.test('analyze_csv: a folder is not a file', async t => {
  filesFolder(t)

  const result = await analyze(t, 'sales')

  t.match(errorOf(result), /"sales" is not a regular file/)
})

t.test('analyze_csv: a FIFO that nobody writes to is refused at once', { timeout: 90_000 }, async t => {
  const base = filesFolder(t)
  execFileSync('mkfifo', [join(base, 'root/pipe')])

  const result = await analyze(t, 'pipe')

  t.match(errorOf(result), /"pipe" is not a regular file/)
})

t.test('analyze_csv: a socket is refused', async t => {
  filesFolder(t)
  const home = process.cwd()
  process.chdir(process.env['FILES_DIR']!)
  const server = createServer().listen('socket')
  process.chdir(home)
  t.teardown(() => server.close())

  const result = await analyze(t, 'socket')

  t.match(errorOf(result), /readable file|regular file/)
})
