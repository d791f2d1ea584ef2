#!/usr/bin/env node
// `npm create toolrack`. Static imports are only what an old Node can parse, to report its version.
import { explainUnsupportedNode } from '../src/config/node-version.ts'

const fault = explainUnsupportedNode(process.versions.node)
if (fault === undefined) void import('../src/cli/create.ts').then(({ create }) => create(process.argv.slice(2)))
else {
  process.stderr.write(`${fault}\n`)
  process.exitCode = 1
}
