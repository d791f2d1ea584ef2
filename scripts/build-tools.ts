// Makes dist/tools/: each file of the tools that ship, and the libraries that they use.
import { globSync, readFileSync } from 'node:fs'
import { type BuildOptions, build, type Metafile, type Plugin } from 'esbuild'

const FOLDER = 'tools'

/** Larger than all that is bundled: whoever wants the sample database installs it. */
const NOT_BUNDLED = Object.keys(JSON.parse(readFileSync(`${FOLDER}/package.json`, 'utf8')).dependencies)

/** Keeps imports between files of the tools, so that each stays a file of its own. */
const ownFilesApart: Plugin = {
  name: 'own-files-apart',
  setup({ onResolve }) {
    onResolve({ filter: /^\.\.?\/.*\.ts$/ }, ({ path, kind }) =>
      kind === 'entry-point' ? undefined : { path: path.replace(/\.ts$/, '.js'), external: true },
    )
  },
}

/** @returns what is in the files, for its licences */
export async function buildTools(common: BuildOptions): Promise<Metafile> {
  const { metafile } = await build({
    ...common,
    outdir: `dist/${FOLDER}`,
    outbase: FOLDER,
    entryPoints: globSync(`${FOLDER}/**/*.ts`, { exclude: ['**/node_modules/**'] }),
    bundle: true,
    splitting: true,
    // A folder that the server takes for helpers of tools.
    chunkNames: '_libraries/[name]-[hash]',
    external: ['toolrack', 'pg-native', ...NOT_BUNDLED],
    plugins: [ownFilesApart],
    metafile: true,
  })
  assertNamesExported(metafile)
  return metafile
}

/** A bundled CommonJS package has only a default export if it is imported dynamically. */
function assertNamesExported({ outputs }: Metafile): void {
  for (const { entryPoint = '', exports } of Object.values(outputs)) {
    if (entryPoint.includes('node_modules/') && exports.join() === 'default')
      throw new Error(`${entryPoint} has no names in the bundle: export those that a tool needs from a file beside it`)
  }
}
