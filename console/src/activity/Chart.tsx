// A chart over time, by uPlot, in the colours of the page; its numbers are also a table.
import { useEffect, useRef, useState } from 'preact/hooks'
import uPlot from 'uplot'
import { onThemeChange } from '../theme/theme.ts'
import { INTERVAL_S, INTERVALS } from './series.ts'

export interface ChartSeries {
  readonly label: string
  /** Which of the six colours of series. */
  readonly colour: 1 | 2 | 3 | 4 | 5 | 6
  readonly values: readonly (number | null)[]
}

export interface ChartProps {
  readonly title: string
  /** Seconds since 1970. */
  readonly times: readonly number[]
  readonly series: readonly ChartSeries[]
  readonly kind: 'bars' | 'lines'
  format(value: number | null): string
}

const HEIGHT = 180
const SPAN_S = INTERVALS * INTERVAL_S
/** The table alternative shows the latest. */
const MAX_ROWS = 30

export function Chart({ title, times, series, kind, format }: ChartProps) {
  const figure = useRef<HTMLElement>(null)
  const place = useRef<HTMLDivElement>(null)
  const plot = useRef<uPlot>(undefined)
  const [theme, setTheme] = useState(0)
  useEffect(() => onThemeChange(() => setTheme(count => count + 1)), [])

  const labels = series.map(({ label }) => label).join()
  const data = [times, ...series.map(({ values }) => values)] as uPlot.AlignedData
  // A plot cannot change its colours, so another theme makes another plot.
  useEffect(() => {
    const options = toOptions({ labels: labels.split(','), kind, format }, figure.current!, place.current!)
    const made = new uPlot(options, data, place.current!)
    plot.current = made
    const box = place.current!
    const resized = new ResizeObserver(() => made.setSize({ width: box.clientWidth, height: HEIGHT }))
    resized.observe(box)
    return () => {
      resized.disconnect()
      made.destroy()
    }
  }, [theme, labels, kind])
  useEffect(() => plot.current?.setData(data))

  const latest = series.map(({ label, values }) => `${label} ${format(values.at(-1) ?? null)}`).join(', ')
  return (
    <figure class="chart" ref={figure}>
      <figcaption class="row spread">
        <strong>{title}</strong>
        <span class="row legend">
          {series.map(({ label, colour, values }) => (
            <span key={label}>
              <span class={`swatch series-${colour}`} aria-hidden="true" /> {label}{' '}
              <span class="now">{format(values.at(-1) ?? null)}</span>
            </span>
          ))}
        </span>
      </figcaption>
      <div class="plot" ref={place} role="img" aria-label={`${title}, now: ${latest}. The numbers are in the table.`} />
      <Numbers title={title} times={times} series={series} format={format} />
    </figure>
  )
}

type NumbersProps = Pick<ChartProps, 'title' | 'times' | 'series' | 'format'>

function Numbers({ title, times, series, format }: NumbersProps) {
  const [isOpen, setOpen] = useState(false)
  const from = Math.max(0, times.length - MAX_ROWS)
  const rows = times.map((_, index) => index).slice(from)
  return (
    <details class="numbers" onToggle={event => setOpen(event.currentTarget.open)}>
      <summary>{title} as a table</summary>
      {isOpen && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by keyboard
        <section class="scroll" tabIndex={0} aria-label={`${title}, table`}>
          <table>
            <thead>
              <tr>
                <th scope="col">Time</th>
                {series.map(({ label }) => (
                  <th key={label} scope="col" class="number">
                    {label}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {rows.reverse().map(row => (
                <tr key={times[row]}>
                  <td>{formatTime(times[row]!)}</td>
                  {series.map(({ label, values }) => (
                    <td key={label} class="number">
                      {format(values[row] ?? null)}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      )}
    </details>
  )
}

const formatTime = (seconds: number) => new Date(seconds * 1000).toLocaleTimeString('en-GB')

interface PlotFacts extends Pick<ChartProps, 'kind' | 'format'> {
  readonly labels: readonly string[]
}

function toOptions({ labels, kind, format }: PlotFacts, figure: HTMLElement, place: HTMLElement): uPlot.Options {
  const { color, fontFamily } = getComputedStyle(figure)
  const line = getComputedStyle(place).borderTopColor
  const colours = [...figure.querySelectorAll('.swatch')].map(each => getComputedStyle(each).backgroundColor)
  const axis = { stroke: color, font: `12px ${fontFamily}`, grid: { stroke: line, width: 1 }, ticks: { stroke: line } }
  return {
    width: place.clientWidth,
    height: HEIGHT,
    legend: { show: false },
    cursor: { show: false },
    scales: {
      // All charts show the same five minutes, also at the beginning.
      x: { range: (_, __, last) => [last - SPAN_S, last + INTERVAL_S] },
      // From 0 to at least 1: a chart of zeros has a scale, too.
      y: { range: (_, __, max) => [0, Math.max(max * 1.1, 1)] },
    },
    axes: [
      { ...axis, size: 28, values: (_, ticks) => ticks.map(each => formatTime(each).slice(0, 5)) },
      { ...axis, size: 64, values: (_, ticks) => ticks.map(each => format(each)) },
    ],
    series: [{}, ...labels.map((label, index) => toSeries(label, colours[index]!, kind))],
  }
}

const toSeries = (label: string, colour: string, kind: ChartProps['kind']): uPlot.Series => ({
  label,
  stroke: colour,
  width: 2,
  spanGaps: true,
  // A value between two gaps has no line, so it needs a point.
  points: { show: kind === 'lines', size: 4, fill: colour },
  ...(kind === 'bars' && { fill: colour, width: 0, paths: uPlot.paths.bars!({ size: [0.8, 24] }) }),
})
