#!/usr/bin/env node
// `npm create toolrack`. Static imports are only what an old Node can parse, to report its version.
import { runIfSupported } from 'toolrack/node'

runIfSupported(() => import('toolrack/create').then(({ create }) => create(process.argv.slice(2))))
