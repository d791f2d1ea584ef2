#!/usr/bin/env node
// `npm create toolrack`. Static imports are only what an old Node can parse, to report its version.
import { runIfSupported } from '../src/config/node-version.ts'

runIfSupported(() => import('../src/cli/create.ts').then(({ create }) => create(process.argv.slice(2))))
