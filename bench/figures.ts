// Formats and prints the figures of a bench, and fails the bench if one exceeds its bound.

export const median = (figures: readonly number[]) => figures.toSorted((a, b) => a - b)[figures.length >> 1]!
export const kib = (bytes: number) => `${(bytes / 1024).toFixed(2)} KiB`
export const mib = (bytes: number) => `${(bytes / 1024 / 1024).toFixed(1)} MiB`

export function report(what: string, figure: string | number, isWithin: boolean): void {
  if (!isWithin) process.exitCode = 1
  console.log(`| ${what} | ${figure} | ${isWithin ? 'within' : 'PAST'} |`)
}
