#!/usr/bin/env node
// The entry point. Static imports are only what an old Node can parse, to report its version.
import { runIfSupported } from './config/node-version.ts'

runIfSupported(() => import('./compose.ts').then(({ runCommandLine }) => runCommandLine(process.argv.slice(2))))
