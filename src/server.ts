#!/usr/bin/env node
// Where the process begins. It imports nothing at first that a Node too old for the rest could not read.
import { nodeFault } from './node-version.ts'

const fault = nodeFault(process.versions.node)
if (fault === undefined) void import('./command-line.ts').then(({ run }) => run(process.argv.slice(2)))
else {
  process.stderr.write(`${fault}\n`)
  process.exitCode = 1
}
