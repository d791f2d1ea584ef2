// The licences of the packages that a bundle contains: those who ship their code ship these too.
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Metafile } from 'esbuild'

/** Writes each licence once, with the packages that are under it. */
export function writeLicences(bundles: readonly Metafile[], file: string): void {
  const texts = new Map<string, string[]>()
  for (const folder of findBundled(bundles)) {
    const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
    const text = readLicence(folder, manifest)
    const { name, version, license } = manifest
    texts.set(text, [...(texts.get(text) ?? []), `${name} ${version} (${license})`])
  }
  const parts = [...texts].map(([text, packages]) => `${packages.join('\n')}\n\n${text}\n`)
  writeFileSync(file, parts.join(`\n${'-'.repeat(80)}\n\n`))
}

/** The folders of the packages that bundles contain, such as `node_modules/@scope/name`. */
export function findBundled(bundles: readonly Metafile[]): readonly string[] {
  const files = bundles.flatMap(({ inputs }) => Object.keys(inputs))
  const folders = files.map(file => /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0])
  return [...new Set(folders.filter(folder => folder !== undefined))].sort()
}

function readLicence(folder: string, { name, license, author }: Record<string, unknown>): string {
  const [found] = globSync(join(folder, '{LICEN[CS]E,licen[cs]e,COPYING}*'))
  if (found !== undefined) return readFileSync(found, 'utf8').trim()
  // Some packages name their licence and author, but have no file with the text.
  if (license === 'MIT' && typeof author === 'string') return createMitLicence(author)
  if (license === 'Apache-2.0') return `Copyright (c) ${author}\n\n${readFileSync(APACHE_LICENCE, 'utf8').trim()}`
  throw new Error(`${name} is bundled, and has no file with its licence`)
}

/** The same text for every holder: one of our dependencies has it. */
const APACHE_LICENCE = 'node_modules/@opentelemetry/api/LICENSE'

/** Our own licence, with another holder. */
const createMitLicence = (holder: string) =>
  readFileSync('LICENSE', 'utf8')
    .trim()
    .replace(/^Copyright .*$/m, `Copyright (c) ${holder}`)
