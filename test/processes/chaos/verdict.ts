// Rows of a table, and whether one of them is past its bound.
export class Verdict {
  readonly rows: (readonly [what: string, figure: string, bound: string, isWithin: boolean])[] = []

  /** @param bound what the figure has to be; left out: it is only told */
  count(what: string, figure: number, bound?: number): void {
    this.rows.push([
      what,
      String(figure),
      bound === undefined ? '' : String(bound),
      bound === undefined || figure === bound,
    ])
  }

  most(
    what: string,
    figure: number,
    { max, unit = '', digits = 0 }: { max: number; unit?: string; digits?: number },
  ): void {
    this.rows.push([what, `${figure.toFixed(digits)} ${unit}`.trim(), `≤ ${max} ${unit}`.trim(), figure <= max])
  }

  /** What is past its bound. */
  get breaches(): string[] {
    return this.rows
      .filter(([, , , isWithin]) => !isWithin)
      .map(([what, figure, bound]) => `${what}: ${figure}, not ${bound}`)
  }

  print(): void {
    console.log('| what | figure | bound | |\n| --- | ---: | ---: | --- |')
    for (const [what, figure, bound, isWithin] of this.rows)
      console.log(`| ${what} | ${figure} | ${bound} | ${bound === '' ? '' : isWithin ? 'within' : 'PAST'} |`)
  }
}
