// Finds parts of a tool that are allowed, but probably mistakes.

import { formatPath } from '@toolrack/json-schema/pointer'
import type { Schema } from '@toolrack/json-schema/validator'
import type { ToolDefinition } from 'toolrack'
import { MAX_TIMEOUT_MS, type Tool, ToolAnnotations } from 'toolrack/definitions'
import { type Log, type MirroredParam, PARAM_PREFIX } from 'toolrack/protocol'
import { isSecretName } from 'toolrack/text'
import { loadExplanations } from '../load.ts'
import { findUnfitDefaults } from './defaults.ts'
import { findSchemaTypos } from './schema-typos.ts'
import { isSlow } from './slow-pattern.ts'

/** A shorter `timeout` is probably meant in seconds, ms. */
const MIN_LIKELY_TIMEOUT_MS = 100
const SECOND_MS = 1000

const ANNOTATIONS = Object.keys(ToolAnnotations.properties)

/** Logs one warning for each likely mistake. */
export function warnOfMistakes(log: Log, tool: Tool, definition: unknown, file?: string): void {
  for (const reason of findMistakes(tool, definition as ToolDefinition))
    log.warn({ ...(file !== undefined && { file }), tool: tool.name, reason }, 'likely mistake in a tool')
}

function findMistakes(
  { info, slowPatterns, fillDefaults, mirroredParams, listed, parseInput, parseOutput, undeclared }: Tool,
  { annotations, rateLimit, timeout }: ToolDefinition,
): readonly string[] {
  const mistakes: string[] = []
  if ((info.description ?? '').trim() === '') {
    mistakes.push(`has no description, by which models choose; add description: 'What it does, and when to call it.'`)
  }
  // A text with a unit is clear.
  const [timeoutMs, window] = [Number(timeout), Number(rateLimit?.timeWindow)]
  if (isLikelySeconds(timeoutMs)) mistakes.push(`timeout: ${timeoutMs} is milliseconds; ${describeSeconds(timeoutMs)}`)
  if (window < SECOND_MS)
    mistakes.push(`rateLimit.timeWindow: ${window} is milliseconds; write timeWindow: '${window} seconds'`)
  for (const name of Object.keys(annotations ?? {}).filter(each => !ANNOTATIONS.includes(each))) {
    const meant = loadExplanations().findMeantField('tool', name, ['annotations', ...ANNOTATIONS])
    if (meant !== undefined)
      mistakes.push(`annotations.${name} means nothing; did you mean ${meant.split('.').at(-1)}?`)
  }
  if (fillDefaults !== undefined)
    for (const fault of findUnfitDefaults(listed['inputSchema'] as Schema))
      mistakes.push(`inputSchema: the ${fault}; without it, each call is refused`)
  const secrets = mirroredParams.filter(param => looksSecret(param, listed['inputSchema'] as Schema))
  for (const { path, header } of secrets)
    mistakes.push(
      `inputSchema ${formatPath(path)}: x-mcp-header puts what looks like a secret into ${header}, ` +
        'which proxies see and may log; leave x-mcp-header out',
    )
  // A library does not make typos.
  const written = [...(parseInput ? [] : ['inputSchema']), ...(parseOutput ? [] : ['outputSchema'])]
  for (const field of written)
    for (const typo of findSchemaTypos(Object(listed[field]))) mistakes.push(`${field}: ${typo}`)
  for (const name of undeclared)
    mistakes.push(`reads ${name}, which its process does not get; add settings: ['${name}']`)
  for (const pattern of slowPatterns.filter(isSlow)) mistakes.push(describeSlow(pattern))
  return mistakes
}

/** Decides by the name of the argument or of its header, or by the schema. */
function looksSecret({ path, header }: MirroredParam, input: Schema): boolean {
  const property = path.reduce<Schema>((node, name) => (node['properties'] as Schema)[name] as Schema, input)
  const { type, format, writeOnly } = property
  if ('enum' in property || 'const' in property) return false
  const name = path.at(-1)!
  // Such as `hasPassword`, and counts of a model's tokens.
  if (type === 'boolean' || (type === 'integer' && /tokens$/i.test(name))) return false
  return (
    soundsSecret(name) || soundsSecret(header.slice(PARAM_PREFIX.length)) || format === 'password' || writeOnly === true
  )
}

/** Names of cursors, and of facts about a secret. */
const ABOUT_SECRETS = [/page[-_]?token$|tokeni[sz]|(?:type|policy|url)$/i, /^has(?!h)/i, /^is[-_A-Z]/]

const soundsSecret = (name: string) => isSecretName(name) && !ABOUT_SECRETS.some(each => each.test(name))

const describeSlow = (pattern: string) =>
  `the pattern ${pattern} holds up the server for some texts; repeat nothing that repeats itself, as ^a+$ for ^(a+)+$, ` +
  'or write it in JSON Schema or TypeBox, which run it in linear time'

/** People write seconds as whole minutes, such as 120, 300 and 600; 250 and 500 may be milliseconds. */
const isLikelySeconds = (timeoutMs: number) =>
  timeoutMs < MIN_LIKELY_TIMEOUT_MS || (timeoutMs < SECOND_MS && timeoutMs % 60 === 0)

function describeSeconds(seconds: number): string {
  const ms = seconds * SECOND_MS
  return ms > MAX_TIMEOUT_MS
    ? `${formatNumber(MAX_TIMEOUT_MS)} (10 min) is the most`
    : `${seconds} s is ${formatNumber(ms)}`
}

/** In the form of a program: `30_000`. */
const formatNumber = (value: number) => value.toLocaleString('en').replaceAll(',', '_')
