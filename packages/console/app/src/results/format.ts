// Numbers with their units, the same everywhere: `18 ms`, `1.4 KB`, `15 min`, `400,013`.

const BYTE_UNITS = ['B', 'KB', 'MB', 'GB'] as const

/** Thousands are separated: `6,744`. */
export const formatNumber = (value: number): string => value.toLocaleString('en', { maximumFractionDigits: 20 })

/** Such as `164 B`, `1.4 KB`, `20 MB`. A KB is 1,000 bytes, as in the network panels of browsers. */
export function formatBytes(bytes: number): string {
  let size = bytes
  let unit = 0
  // 999.95 would round to 1000.
  while (size >= (unit === 0 ? 1_000 : 999.95) && unit < BYTE_UNITS.length - 1) {
    size /= 1_000
    unit++
  }
  const text = unit === 0 ? String(size) : size.toFixed(1).replace(/\.0$/, '')
  return `${text} ${BYTE_UNITS[unit]}`
}

/** A duration: `0.4 ms`, `18 ms`, `2.4 s`, `1 min 5 s`, `2 h 3 min`. */
export function formatDuration(ms: number): string {
  if (ms > 0 && ms < 0.95) return `${Math.max(ms, 0.1).toFixed(1)} ms`
  if (ms < 999.5) return `${Math.round(ms)} ms`
  if (ms < 59_950) return `${(ms / 1_000).toFixed(1)} s`
  return formatLong(Math.round(ms / 1_000))
}

/** Whole seconds, minutes and hours: `4 s`, `15 min`, `1 h`, `1 h 5 min`. */
export function formatLong(seconds: number): string {
  const [hours, minutes] = [Math.floor(seconds / 3_600), Math.floor((seconds % 3_600) / 60)]
  const parts = [
    [hours, 'h'],
    [minutes, 'min'],
    [hours > 0 ? 0 : seconds % 60, 's'],
  ] as const
  const words = parts.filter(([count]) => count > 0).map(([count, unit]) => `${count} ${unit}`)
  return words.join(' ') || '0 s'
}

/** The time of day in this browser: `11:37:25`. */
export function formatClock(at: number): string {
  const time = new Date(at)
  return [time.getHours(), time.getMinutes(), time.getSeconds()].map(each => String(each).padStart(2, '0')).join(':')
}

/** With milliseconds: `11:37:25.001`. */
export const formatTime = (at: number): string =>
  `${formatClock(at)}.${String(new Date(at).getMilliseconds()).padStart(3, '0')}`

/** Such as `1 row`, `5 rows`. */
export const formatCount = (count: number, one: string, many = `${one}s`): string =>
  `${formatNumber(count)} ${count === 1 ? one : many}`
