// Times with their zones, in the form of RFC 3339 and of a browser's fields.
export interface Zone {
  /** `Z`, or such as `+01:00`. */
  readonly offset: string
  readonly label: string
}

export interface Zoned {
  /** `2026-11-26T14:30`, or `14:30`. */
  readonly local: string
  readonly offset: string
}

const UTC: Zone = { offset: 'Z', label: 'UTC' }

/** The form that a browser's fields can show: no leap second, at most milliseconds. */
const ZONED =
  /^((?:(\d{4}-\d\d-\d\d)[Tt])?(?:[01]\d|2[0-3]):[0-5]\d)(:[0-5]\d(?:\.\d{1,3})?)?([Zz]|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/

/** Whether a text is a day of the calendar. */
export function isDate(text: string): boolean {
  const date = new Date(`${text}T00:00:00Z`)
  return /^\d{4}-\d\d-\d\d$/.test(text) && date.getTime() >= FIRST && date.toISOString().startsWith(text)
}

/** The fields of a browser start with the year 1. */
const FIRST = Date.parse('0001-01-01T00:00:00Z')

/** @returns undefined if a browser has no field for the text */
export function parseZoned(text: string): Zoned | undefined {
  const [, time, date, seconds = '', offset] = ZONED.exec(text) ?? []
  if (time === undefined || offset === undefined || (date !== undefined && !isDate(date))) return undefined
  return { local: `${time.toUpperCase()}${seconds === ':00' ? '' : seconds}`, offset: offset.toUpperCase() }
}

/** RFC 3339 requires the seconds. */
export const formatZoned = ({ local, offset }: Zoned): string =>
  `${local}${/:\d\d:\d\d/.test(local) ? '' : ':00'}${offset}`

/** The zone of this browser at that time, which differs in summer; UTC; and the zone of the value. */
export function listZones(local: string, own: string | undefined): readonly Zone[] {
  const date = new Date(local.includes('T') ? local : `${new Date().toISOString().slice(0, 10)}T${local}`)
  const here = toZone(-(Number.isNaN(date.getTime()) ? new Date() : date).getTimezoneOffset())
  const zones = here.offset === UTC.offset ? [UTC] : [here, UTC]
  return own === undefined || zones.some(({ offset }) => offset === own)
    ? zones
    : [...zones, { ...toZone(toMinutes(own)), offset: own }]
}

function toMinutes(offset: string): number {
  const [, sign, hours, minutes] = /^([+-])(\d\d):(\d\d)$/.exec(offset) ?? []
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes))
}

/** @param minutes east of UTC */
function toZone(minutes: number): Zone {
  if (!minutes) return UTC
  const sign = minutes < 0 ? '-' : '+'
  const hours = Math.floor(Math.abs(minutes) / 60)
  const rest = Math.abs(minutes) % 60
  const pad = (number: number) => String(number).padStart(2, '0')
  return {
    offset: `${sign}${pad(hours)}:${pad(rest)}`,
    label: `UTC${sign}${hours}${rest === 0 ? '' : `:${pad(rest)}`}`,
  }
}
