// The values and the default of a setting, in words: for docs/reference/settings.md, the chart and the
// help of `toolrack start`.
import type { SettingRow } from 'toolrack/settings'

type Row = SettingRow<unknown, unknown>

/** @returns undefined if the setting has no default */
export function describeDefault(
  name: string,
  { fallback }: Row,
): { value: string; inWords?: string | undefined } | undefined {
  if (fallback === undefined) return undefined
  return { value: String(fallback), ...(typeof fallback === 'number' && { inWords: toUnit(name, fallback) }) }
}

const UNITS: readonly (readonly [RegExp, readonly (readonly [number, string])[]])[] = [
  [/_BYTES$/, [[2 ** 20, 'MiB']]],
  [
    /_(?:MS|WINDOW)$/,
    [
      [3_600_000, 'h'],
      [60_000, 'min'],
      [1000, 's'],
    ],
  ],
]

/** Formats a value with its unit: `TASK_TTL_MS`, 3600000 → `1 h`. */
function toUnit(name: string, value: number): string | undefined {
  const units = UNITS.find(([pattern]) => pattern.test(name))?.[1] ?? []
  const unit = units.find(([size]) => value % size === 0)
  return unit && `${value / unit[0]} ${unit[1]}`
}

/** Nearly every setting refuses one of these values, with an error that names the expected value. */
const PROBES: readonly string[] = ['http://x.example', '\0']

/** The accepted values, in words. */
export function describeValue({ type }: Row): string {
  for (const probe of PROBES) {
    try {
      type.parse(probe)
    } catch (error) {
      return (error as Error).message.replace(/^expected /, '').replace(/, not ".*"$/, '')
    }
  }
  return 'text'
}
