import { defineTool, ToolError, Type } from 'toolrack'

export default defineTool({
  name: 'get_current_time',
  title: 'Current Time',
  description:
    'Returns the current server time, in UTC or in a time zone. Example: { "timezone": "Europe/Berlin" } gives ' +
    '{ "iso": "2026-11-21T07:00:00+01:00", "weekday": "Saturday", … }.',
  inputSchema: Type.Object(
    {
      timezone: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 64,
          default: 'UTC',
          description: 'IANA name, such as "America/New_York", or an offset, such as "+05:30"; default UTC',
        }),
      ),
    },
    { additionalProperties: false },
  ),
  outputSchema: Type.Object({
    timezone: Type.String({ description: 'As it was asked for' }),
    iso: Type.String({ description: 'ISO 8601 with the offset, such as 2026-11-21T07:00:00+01:00' }),
    date: Type.String({ description: 'YYYY-MM-DD' }),
    time: Type.String({ description: 'HH:MM:SS, 24 hours' }),
    weekday: Type.String({ description: 'In English' }),
    utcOffset: Type.String({ description: '±HH:MM' }),
  }),
  annotations: { readOnlyHint: true, openWorldHint: false },
  handler({ timezone = 'UTC' }) {
    const parts = new Map(
      findFormat(timezone)
        .formatToParts(new Date())
        .map(({ type, value }) => [type, value]),
    )
    const date = `${parts.get('year')}-${parts.get('month')}-${parts.get('day')}`
    const time = `${parts.get('hour')}:${parts.get('minute')}:${parts.get('second')}`
    // "GMT+01:00"; some versions of ICU write plain "GMT" for UTC.
    const utcOffset = parts.get('timeZoneName')?.slice(3) || '+00:00'
    return { timezone, iso: `${date}T${time}${utcOffset}`, date, time, weekday: parts.get('weekday') ?? '', utcOffset }
  },
})

/** Each takes 100 µs to make, and up to 30 KiB outside the heap. */
const MAX_FORMATS = 100
const formats = new Map<string, Intl.DateTimeFormat>()

function findFormat(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone)
  if (known !== undefined) return known
  const format = createFormat(timeZone)
  if (formats.size === MAX_FORMATS) formats.delete(formats.keys().next().value!)
  formats.set(timeZone, format)
  return format
}

function createFormat(timeZone: string): Intl.DateTimeFormat {
  try {
    return new Intl.DateTimeFormat('en-US', {
      timeZone,
      calendar: 'iso8601',
      numberingSystem: 'latn',
      hourCycle: 'h23',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
      weekday: 'long',
      timeZoneName: 'longOffset',
    })
  } catch {
    throw new ToolError(`There is no time zone ${JSON.stringify(timeZone)}. ${hintFor(timeZone)}`)
  }
}

function hintFor(name: string): string {
  const similar = Intl.supportedValuesOf('timeZone')
    .map(zone => ({ zone, likeness: Math.max(likeness(name, zone), likeness(name, zone.split('/').at(-1)!)) }))
    .filter(({ likeness }) => likeness > 0.45)
    .sort((a, b) => b.likeness - a.likeness)
    .slice(0, 3)
    .map(({ zone }) => zone)
  if (similar.length > 0) return `Similar names: ${similar.join(', ')}.`
  return 'Use an IANA name of the form Area/City, such as "Europe/Berlin", an offset, such as "+02:00", or "UTC".'
}

/** Similarity of two names: their share of common letter pairs, 0–1. */
function likeness(a: string, b: string): number {
  const [pairsOfA, pairsOfB] = [pairsOf(a), pairsOf(b)]
  const common = [...pairsOfA].filter(pair => pairsOfB.has(pair))
  return (2 * common.length) / (pairsOfA.size + pairsOfB.size || 1)
}

function pairsOf(name: string): Set<string> {
  const plain = name.toLowerCase().replace(/[^a-z]+/g, '_')
  return new Set(Array.from({ length: Math.max(plain.length - 1, 0) }, (_, index) => plain.slice(index, index + 2)))
}
