#!/usr/bin/env node
// Where the process begins. It imports nothing at first that a Node too old for the rest could not read.
import { explainUnsupportedNode } from './config/node-version.ts'

const fault = explainUnsupportedNode(process.versions.node)
if (fault === undefined) void import('./command-line.ts').then(({ runCommand }) => runCommand(process.argv.slice(2)))
else {
  process.stderr.write(`${fault}\n`)
  process.exitCode = 1
}
