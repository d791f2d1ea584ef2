// Where the entries of this package are, by what a tool file writes to import them. The source of
// tools resolves them there; nothing is imported here.

export type PackageEntries = Readonly<Record<'toolrack' | 'toolrack/source' | 'toolrack/testing', string>>

const here = import.meta.url

const findEntry = (specifier: string, source: string): string =>
  here.endsWith('.ts') ? new URL(source, here).href : import.meta.resolve(specifier)

export const PACKAGE_ENTRIES: PackageEntries = Object.freeze({
  toolrack: findEntry('toolrack', './index.ts'),
  'toolrack/source': findEntry('toolrack/source', '../packages/toolrack/source.ts'),
  'toolrack/testing': findEntry('toolrack/testing', '../packages/testing/src/index.ts'),
})
