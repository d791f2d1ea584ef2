#!/usr/bin/env node
// The entry point. Static imports are only what an old Node can parse, to report its version.
import { explainUnsupportedNode } from './config/node-version.ts'

const fault = explainUnsupportedNode(process.versions.node)
if (fault === undefined) void import('./cli/run.ts').then(({ runCommandLine }) => runCommandLine(process.argv.slice(2)))
else {
  process.stderr.write(`${fault}\n`)
  process.exitCode = 1
}
