// Generates docs/reference/settings.md from the rows of the settings.

import { describeDefault, describeValue } from '../../packages/cli/src/describe-setting.ts'
import { wrapText } from '../../packages/cli/src/wrap.ts'
import { SECRET_FILES } from '../../packages/environment/src/secret-files.ts'
import { MAX_SECRET_FILE_BYTES } from '../../src/config/secret-files.ts'
import type { SettingRow, SettingsSection } from '../../src/config/setting-row.ts'
import { SECTIONS } from '../../src/config/settings.ts'
import { code, markdownTable } from './table.ts'

export const PAGE = 'docs/reference/settings.md'

const INTRODUCTION = `<!-- Written by \`npm run docs\` from src/config/settings/. -->

# Settings

Everything that can be set, by a variable (\`RATE_LIMIT_MAX\`, also in
[\`.env\`](cli.md#variables-of-a-project)), an option of \`toolrack start\` (\`--rate-limit-max 100\`) or
an [option of a program](../guides/library.md#options): \`rateLimit.max\` is
\`rateLimit: { max: 100 }\` there. Only \`createServer\` takes those with a star. Commas separate
values. A switch is \`true\` or \`false\`.

A bad value stops the start, with a line that names the variable. So do a misspelt name and a secret
with white space around it.

**Secrets in files.** These name a file of at most ${MAX_SECRET_FILE_BYTES / 1024} KiB, and a change counts
[without a restart](../guides/deploy.md#secrets-are-files):
${wrapText(`${SECRET_FILES.map(code).join(', ')}.`, 100).join('\n')}
`

const END = `## Settings of tools

[Tools that ship](shelf.md#settings) have settings of their own. The secret of any tool may stand in
a file, too: with \`GITHUB_TOKEN_FILE\`, tools that name \`GITHUB_TOKEN\` have it, and are loaded again
when the file changes.

## OpenTelemetry

\`OTEL_EXPORTER_OTLP_ENDPOINT\` and other \`OTEL_*\` variables turn [traces](observability.md#traces)
on.
`

export const settingsPage = (): string => [INTRODUCTION, ...SECTIONS.map(toSection), END].join('\n')

function toSection({ title, rows }: SettingsSection): string {
  const lines = Object.entries(rows).map(([name, row]) => toRow(name, row))
  return `## ${title}\n\n${markdownTable(['setting, option', 'default, values', 'meaning'], lines)}\n`
}

function toRow(name: string, row: SettingRow<unknown, unknown>): string[] {
  const option = `${code(row.option)}${row.isOfServer === true ? '\\*' : ''}`
  return [inLines(code(name), option), inLines(row.byDefault ?? toDefault(name, row), toValues(row)), row.meaning]
}

/** Wide tables scroll, so a cell has two lines. */
const inLines = (...lines: string[]) => lines.filter(line => line !== '').join('<br>')

/** The values in few words: their errors have whole sentences. */
const toValues = (row: SettingRow<unknown, unknown>): string =>
  describeValue(row)
    .replace(/^an integer from (\d+) to 2147483647$/, '$1 or more')
    .replace(/^an integer from (\d+) to 9007199254740991$/, '$1 or more')
    .replace(/^an integer from /, '')
    .replace(/,? separated by commas/, '')
    .replace(/^one of /, '')
    .replace('one value or more', 'one or more')
    .replace(/^a text of /, '')
    .replace(/,? ?at most \d+ characters/, '')
    .replace(', without offline_access', '')
    .replace(/^a path such as .*/, '')
    .replace(/^one or more of HS256.*/, 'one or more')
    .replace(', without io.modelcontextprotocol/tasks', '')
    .replace(/^false, or the /, '')
    .replace(/^the text before each scope, /, '')
    .replace(/^an address or a name, without a port$/, '')
    .replace('names of tools, with * and ? for what may differ', 'globs of names')
    .replace(/^(?:true or false|text)$/, '')

function toDefault(name: string, row: SettingRow<unknown, unknown>): string {
  const { value, inWords } = describeDefault(name, row) ?? {}
  if (value === undefined) return '–'
  return inWords === undefined ? code(value) : `${code(value)} (${inWords})`
}
