// Imports that Node cannot follow, and what the log says of each.
import { file, type Mistake } from './mistake.ts'

const NO_PATHS = 'Node does not know the paths of tsconfig.json: write'
const OR_IMPORTS = `, or name it in "imports" of package.json: '#lib/db'`

/** A tool file with this import in its third line. */
const importing = (specifier: string, more: Readonly<Record<string, string>> = {}) => ({
  ...file(`// import word from '${specifier}'
/* import word from '${specifier}' */
import word from '${specifier}'
export default { name: 'order', description: 'Finds an order.', handler: () => word }`),
  ...more,
})
const DB = 'export default 1'

const IMPORTS: readonly [specifier: string, says: string, more?: Record<string, string>][] = [
  // Aliases of bundlers and of tsconfig.json.
  ['@/lib/db', `${NO_PATHS} a path such as './db.ts'${OR_IMPORTS}`],
  ['@/lib/db', `${NO_PATHS} './lib/db.ts'${OR_IMPORTS}`, { 'lib/db.ts': DB }],
  ['@/lib/db', `${NO_PATHS} './src/lib/db.ts'${OR_IMPORTS}`, { 'src/lib/db.ts': DB }],
  ['~/db', `${NO_PATHS} a path such as './db.ts'${OR_IMPORTS}`],
  ['~/db', `${NO_PATHS} './db/index.ts'${OR_IMPORTS}`, { 'db/index.ts': DB }],
  ['$lib/db', `${NO_PATHS} a path such as './db.ts'${OR_IMPORTS}`],
  ['src/db', `${NO_PATHS} a path such as './db.ts'${OR_IMPORTS}`],
  ['@db', `${NO_PATHS} a path such as './db.ts'${OR_IMPORTS}`],
  [
    '@orders/list',
    `${NO_PATHS} './_own/orders/list.ts'${OR_IMPORTS}`,
    {
      '_own/orders/list.ts': DB,
      'tsconfig.json': '{ "compilerOptions": { "paths": { "@orders/*": ["./_own/orders/*"] } } } // of the shop',
    },
  ],
  ['src/db', `write './src/db.ts'`, { 'src/db.ts': DB }],
  ['#lib/db', `add "imports": { "#lib/*": "./lib/*.ts" } to package.json`],
  ['#lib/db', `write './lib/db.ts', or add "imports": { "#lib/*": "./lib/*.ts" } to package.json`, { 'lib/db.ts': DB }],
  ['#db', `add "imports": { "#db": "./db.ts" } to package.json`],
  // Modules of Node, of other runtimes, and of the web.
  ['fs/promise', `did you mean 'fs/promises'?`],
  ['node:fs/promise', `did you mean 'node:fs/promises'?`],
  ['timers/promise', `did you mean 'timers/promises'?`],
  ['sqlite', `did you mean 'node:sqlite'?`],
  ['utils', `did you mean 'util'?`],
  ['bun:sqlite', `did you mean 'node:sqlite'?`],
  ['npm:@acme/not-there@1', `run npm install @acme/not-there, and write '@acme/not-there'`],
  ['https://esm.sh/zod', 'Node imports no URLs: run npm install, and write the name of the package'],
  // What was known before has a line, too.
  ['@acme/not-there/sub', 'run npm install @acme/not-there'],
  ['./_db', `write './_db.ts'`, { '_db.ts': DB }],
  ['./_db', `write './_db/index.ts'`, { '_db/index.ts': DB }],
]

export const IMPORT_MISTAKES: readonly Mistake[] = IMPORTS.map(([specifier, says, more]) => ({
  mistake: `the import ${specifier}${more === undefined ? '' : ` for ${Object.keys(more)[0]}`}`,
  files: importing(specifier, more),
  says,
  line: 3,
}))
