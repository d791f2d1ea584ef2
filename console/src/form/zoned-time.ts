// Times with their zones, as RFC 3339 writes them and as the fields of a browser show them.

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

const ZONED = /^((?:\d{4}-\d\d-\d\d[Tt])?\d\d:\d\d)(:\d\d(?:\.\d+)?)?([Zz]|[+-]\d\d:\d\d)$/

/** @returns undefined if the text is no time with a zone */
export function parseZoned(text: string): Zoned | undefined {
  const [, time, seconds = '', offset] = ZONED.exec(text) ?? []
  if (time === undefined || offset === undefined) return undefined
  return { local: `${time.toUpperCase()}${seconds === ':00' ? '' : seconds}`, offset: offset.toUpperCase() }
}

/** RFC 3339 wants the seconds. */
export const formatZoned = ({ local, offset }: Zoned): string =>
  `${local}${/:\d\d:\d\d/.test(local) ? '' : ':00'}${offset}`

/** The zone of this browser at that time, which differs in summer, and UTC; and the one of the value. */
export function listZones(local: string, own: string | undefined): readonly Zone[] {
  const date = new Date(local.includes('T') ? local : `${new Date().toISOString().slice(0, 10)}T${local}`)
  const here = toZone(-(Number.isNaN(date.getTime()) ? new Date() : date).getTimezoneOffset())
  const zones = here.offset === UTC.offset ? [UTC] : [here, UTC]
  return own === undefined || zones.some(({ offset }) => offset === own) ? zones : [...zones, toZone(toMinutes(own))]
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
