// Before `npm publish`: a package must not send its users' reports to an address that nobody has.
import { readFileSync } from 'node:fs'

/** Domains that are reserved for examples (RFC 2606). */
const EXAMPLE = /\bexample\.(?:com|net|org)\b/

const { repository, bugs, homepage } = JSON.parse(readFileSync('package.json', 'utf8'))
const isDryRun = process.env['npm_config_dry_run'] === 'true'
const addresses = JSON.stringify([repository, bugs, homepage, readFileSync('SECURITY.md', 'utf8')])

if (!isDryRun && EXAMPLE.test(addresses)) {
  process.stderr.write(
    'package.json names no real repository: set it there and in SECURITY.md, then run npm run docs\n',
  )
  process.exitCode = 1
}
