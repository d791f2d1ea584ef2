// The report of `toolrack doctor` as text: a line for each passed check, a paragraph for each fault.
// fault.
import { toVisibleLine } from 'toolrack/text'
import type { Io } from '../io.ts'
import { wrapText } from '../wrap.ts'
import type { Finding } from './check-context.ts'

const SIGNS = {
  ok: { text: 'ok     ', style: 'green' },
  warning: { text: 'warning', style: 'yellow' },
  problem: { text: 'PROBLEM', style: 'red' },
} as const
const CHECK_WIDTH = 9
const INDENT = ' '.repeat(SIGNS.ok.text.length + CHECK_WIDTH + 4)

/** The findings of a check. Passed ones are shown only if all passed. */
export function formatFindings(findings: readonly Finding[], io: Io): string {
  const faults = findings.filter(({ severity }) => severity !== 'ok')
  if (faults.length > 0) return faults.map(fault => formatFault(fault, io)).join('\n')
  const passed = findings.map(({ cause }) => toVisibleLine(cause)).join('; ')
  return formatHead('ok', findings[0]!.check, io) + cut(passed, io)
}

function formatFault({ severity, check, cause, effect, fix }: Finding, io: Io): string {
  const lines = [
    ...fold(toVisibleLine(cause), io).map(line => io.paint('bold', line)),
    ...fold(toVisibleLine(effect ?? ''), io),
    ...fold(`→ ${toVisibleLine(fix ?? '')}`, io).map((line, index) => (index === 0 ? line : `  ${line}`)),
  ]
  return formatHead(severity, check, io) + lines.join(`\n${INDENT}`)
}

function formatHead(severity: Finding['severity'], check: string, { paint }: Io): string {
  const { text, style } = SIGNS[severity]
  return `${paint(style, text)}  ${check.padEnd(CHECK_WIDTH)}  `
}

/** The lines of a terminal; a pipe gets a line for each sentence. */
const fold = (text: string, { stdout }: Io) => (stdout.isTTY === true ? wrapText(text, getWidth(stdout) - 2) : [text])

function cut(text: string, { stdout }: Io): string {
  const width = getWidth(stdout)
  return stdout.isTTY !== true || text.length <= width ? text : `${text.slice(0, width - 1)}…`
}

const getWidth = ({ columns }: Io['stdout']) => Math.max(MIN_WIDTH, (columns || 80) - INDENT.length)
const MIN_WIDTH = 30
