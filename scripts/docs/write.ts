// `npm run docs`: writes the generated pages and files. A test fails if one differs from the code.
import { readFileSync, writeFileSync } from 'node:fs'
import * as chart from './chart-schema.ts'
import * as clients from './clients.ts'
import * as manifest from './create-manifest.ts'
import * as errors from './errors.ts'
import * as exported from './exports.ts'
import * as catalogue from './security-catalogue.ts'
import * as settings from './settings.ts'
import * as tests from './test-index.ts'
import * as tools from './tools-table.ts'

writeFileSync(settings.PAGE, settings.settingsPage())
writeFileSync(chart.PAGE, chart.withSettings(readFileSync(chart.PAGE, 'utf8')))
writeFileSync(clients.PAGE, clients.clientsPage())
writeFileSync(errors.PAGE, errors.errorsPage())
writeFileSync(exported.PAGE, await exported.exportsPage())
writeFileSync(tools.PAGE, tools.withTable(readFileSync(tools.PAGE, 'utf8'), await tools.tableOfTools('tools')))
writeFileSync(catalogue.PAGE, catalogue.withTests(readFileSync(catalogue.PAGE, 'utf8'), catalogue.findTests()))
writeFileSync(manifest.PAGE, manifest.createManifest())
writeFileSync(tests.PAGE, tests.testIndex())
