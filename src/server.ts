#!/usr/bin/env node
// The entry point. It imports statically only what an old Node can parse, so that it can report its
// version.
import { runIfSupported } from './config/node-version.ts'

runIfSupported(() => import('./compose.ts').then(({ runCommandLine }) => runCommandLine(process.argv.slice(2))))
