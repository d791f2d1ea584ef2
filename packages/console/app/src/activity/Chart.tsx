// A chart over time, by uPlot, in the colours of the page. Its numbers are also a table.
import { useEffect, useRef, useState } from 'preact/hooks'
import uPlot from 'uplot'
import { Icon } from '../parts/Icon.tsx'
import { formatClock } from '../results/format.ts'
import { onThemeChange } from '../theme/theme.ts'
import { toMarks } from './series.ts'

export interface ChartSeries {
  readonly label: string
  /** The colour, by the class of its swatch. */
  readonly swatch: string
  readonly values: readonly (number | null)[]
}

export interface ChartProps {
  readonly title: string
  /** What it shows, for a screen reader: "Calls in each 15 seconds". */
  readonly label: string
  /** The start of each interval, seconds since 1970. */
  readonly times: readonly number[]
  readonly stepS: number
  /**
   * `bars`: the second series is stacked on the first. `band`: the area from the first to the
   * second.
   */
  readonly series: readonly [ChartSeries, ChartSeries]
  readonly kind: 'bars' | 'band'
  /** The axis ends here or above, so that a chart of zeros also has whole numbers. */
  readonly least: number
  format(value: number): string
}

const HEIGHT = 184

export function Chart(props: ChartProps) {
  const { title, label, times, series, kind, stepS } = props
  const figure = useRef<HTMLElement>(null)
  const place = useRef<HTMLDivElement>(null)
  const plot = useRef<uPlot>(undefined)
  const [theme, setTheme] = useState(0)
  useEffect(() => onThemeChange(() => setTheme(count => count + 1)), [])

  const data = [times, ...toDrawn(kind, series)] as uPlot.AlignedData
  // A plot cannot change its colours, so another theme needs a new plot.
  useEffect(() => {
    const made = new uPlot(toOptions(props, figure.current!, place.current!), data, place.current!)
    plot.current = made
    const box = place.current!
    const resized = new ResizeObserver(() => made.setSize({ width: box.clientWidth, height: HEIGHT }))
    resized.observe(box)
    return () => {
      resized.disconnect()
      made.destroy()
    }
  }, [theme, kind, stepS])
  useEffect(() => plot.current?.setData(data))

  const span = `from ${toMinute(times[0])} to ${toMinute(times.at(-1))}`
  return (
    <figure class="card chart" ref={figure}>
      <figcaption class="chart-head">
        <h2>{title}</h2>
        <span class="legend">
          {series.map(({ label: name, swatch }) => (
            <span key={name}>
              <i class={`swatch ${swatch}`} />
              {name}
            </span>
          ))}
        </span>
      </figcaption>
      <div
        class="plot-box"
        ref={place}
        role="img"
        aria-label={`${label}, ${span}. The numbers are in the table below.`}
      />
      <Numbers {...props} />
    </figure>
  )
}

const toMinute = (seconds = 0): string => formatClock(seconds * 1000).slice(0, 5)

/** Bars are drawn on top of each other: first the sums, then the lower ones. */
const toDrawn = (kind: ChartProps['kind'], [first, second]: ChartProps['series']): readonly ChartSeries['values'][] =>
  kind === 'band'
    ? [first.values, second.values]
    : [first.values.map((value, index) => (value ?? 0) + (second.values[index] ?? 0)), first.values]

function Numbers({ title, times, series, format }: ChartProps) {
  const [isOpen, setOpen] = useState(false)
  return (
    <details class="numbers" onToggle={event => setOpen(event.currentTarget.open)}>
      <summary>
        <Icon name="right" size={12} />
        <span class="muted">
          As a table<span class="vh">: {title}</span>
        </span>
      </summary>
      {isOpen && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by keyboard
        // biome-ignore lint/a11y/useSemanticElements: a fieldset is for controls
        <div class="grid-scroll numbers-box" tabIndex={0} role="group" aria-label={`${title}, table`}>
          <table class="grid">
            <thead>
              <tr>
                <th scope="col">From</th>
                {series.map(({ label }) => (
                  <th key={label} scope="col" class="n">
                    {label.replace(/^to /, '')}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {times
                .map((time, row) => (
                  <tr key={time}>
                    <td class="num">{formatClock(time * 1000)}</td>
                    {series.map(({ label, values }) => (
                      <td key={label} class="n">
                        {formatValue(values[row] ?? null, format)}
                      </td>
                    ))}
                  </tr>
                ))
                .reverse()}
            </tbody>
          </table>
        </div>
      )}
    </details>
  )
}

const formatValue = (value: number | null, format: ChartProps['format']) => (value === null ? '–' : format(value))

function toOptions(
  { series, kind, least, stepS, format }: ChartProps,
  figure: HTMLElement,
  place: HTMLElement,
): uPlot.Options {
  const { color, fontFamily } = getComputedStyle(place)
  const line = getComputedStyle(figure).borderTopColor
  const colours = [...figure.querySelectorAll('.swatch')].map(each => getComputedStyle(each).backgroundColor)
  const axis = { stroke: color, font: `11px ${fontFamily}`, ticks: { show: false } }
  const [first, second] = series
  return {
    width: place.clientWidth,
    height: HEIGHT,
    padding: [8, 0, 0, 0],
    legend: { show: false },
    cursor: { show: false },
    scales: {
      // Half a bar before the first one, so that it is not cut, and the whole last bar.
      x: { range: (_, from, to) => (kind === 'bars' ? [from - stepS / 2, to + stepS / 2] : [from, to]) },
      y: { range: (_, __, most) => [0, toMarks(most, least).at(-1)!] },
    },
    axes: [
      { ...axis, grid: { show: false }, size: 20, gap: 4, space: 80, values: (_, ticks) => ticks.map(toMinute) },
      {
        ...axis,
        grid: { stroke: line, width: 1 },
        size: (_, labels) => 12 + 6.5 * Math.max(1, ...(labels ?? []).map(({ length }) => length)),
        gap: 4,
        splits: (_, __, ___, end) => [...toMarks(end, least)],
        values: (_, marks) => marks.map(each => (each === 0 ? '0' : format(each).replace('.0 ', ' '))),
      },
    ],
    ...(kind === 'bars'
      ? { series: [{}, toBar(second.label, colours[1]!), toBar(first.label, colours[0]!)] }
      : {
          series: [
            {},
            { label: first.label, stroke: colours[0]!, width: 1.5, spanGaps: true, points: toLonePoint(colours[0]!) },
            {
              label: second.label,
              stroke: fade(colours[0]!, 56),
              width: 1,
              dash: [3, 3],
              spanGaps: true,
              points: toLonePoint(fade(colours[0]!, 56)),
            },
          ],
          bands: [{ series: [2, 1] as uPlot.Band.Bounds, fill: fade(colours[0]!, 20) }],
        }),
  }
}

const fade = (colour: string, percent: number) => `color-mix(in srgb, ${colour} ${percent}%, transparent)`

/** A single value cannot form a line, so it is drawn as a point. */
const toLonePoint = (colour: string): uPlot.Series.Points => ({
  show: ({ data }, series) =>
    Array.from<number | null | undefined>(data[series]!).filter(value => value != null).length === 1,
  size: 5,
  width: 0,
  fill: colour,
})

const toBar = (label: string, colour: string): uPlot.Series => ({
  label,
  fill: colour,
  stroke: colour,
  width: 0,
  points: { show: false },
  paths: uPlot.paths.bars!({ size: [0.8, 24] }),
})
