// The border between two panes: dragged, or moved by the arrow keys. The browser keeps its position.
// WAI-ARIA: Window Splitter pattern.
import { useEffect, useRef, useState } from 'preact/hooks'
import { keep, readKept } from '../client/kept.ts'

/** The pane whose width it sets. */
export type BorderName = 'list' | 'form' | 'detail' | 'master'

const LABELS: Readonly<Record<BorderName, string>> = {
  list: 'Width of the list',
  form: 'Width of the arguments',
  detail: 'Width of the detail',
  master: 'Width of the list',
}

const MIN_PX = 240
const MAX_PX = 640
const STEP_PX = 16

export function PaneBorder({ name }: { name: BorderName }) {
  const handle = useRef<HTMLHRElement>(null)
  const [px, setPx] = useState(() => readWidth(name))
  const [shown, setShown] = useState<number>()
  // The detail is on the right of its border.
  const sign = name === 'detail' ? -1 : 1
  useEffect(() => {
    const work = handle.current?.parentElement
    if (px === undefined) work?.style.removeProperty(`--w-${name}`)
    else work?.style.setProperty(`--w-${name}`, `${px}px`)
    keep(`width:${name}`, px === undefined ? undefined : String(px))
    setShown(Math.round(measure(handle.current, name)))
  }, [name, px])
  const move = (to: number) => setPx(Math.round(Math.min(MAX_PX, Math.max(MIN_PX, to))))
  const drag = (event: PointerEvent) => {
    if (event.button !== 0) return
    event.preventDefault()
    const border = handle.current!
    const from = measure(border, name)
    const begin = event.clientX
    border.setPointerCapture(event.pointerId)
    const follow = ({ clientX }: PointerEvent) => move(from + sign * (clientX - begin))
    border.addEventListener('pointermove', follow)
    const end = () => border.removeEventListener('pointermove', follow)
    border.addEventListener('lostpointercapture', end, { once: true })
  }
  const moveByKey = (event: KeyboardEvent) => {
    const width = measure(handle.current, name)
    const to: Readonly<Record<string, number>> = {
      ArrowLeft: width - sign * STEP_PX,
      ArrowRight: width + sign * STEP_PX,
      Home: sign === 1 ? MIN_PX : MAX_PX,
      End: sign === 1 ? MAX_PX : MIN_PX,
    }
    const next = to[event.key]
    if (next === undefined) return
    event.preventDefault()
    move(next)
  }
  return (
    <hr
      class={`border border-${name}`}
      ref={handle}
      tabIndex={0}
      aria-orientation="vertical"
      aria-label={LABELS[name]}
      aria-valuemin={MIN_PX}
      aria-valuemax={MAX_PX}
      aria-valuenow={shown}
      onPointerDown={drag}
      onKeyDown={moveByKey}
      onDblClick={() => setPx(undefined)}
    />
  )
}

function readWidth(name: BorderName): number | undefined {
  const px = Number(readKept(`width:${name}`))
  return px >= MIN_PX && px <= MAX_PX ? px : undefined
}

/** The current width of the pane, px. */
function measure(border: HTMLElement | null, name: BorderName): number {
  const columns = border === null ? [] : getComputedStyle(border.parentElement!).gridTemplateColumns.split(' ')
  return Number.parseFloat(columns[name === 'form' || name === 'detail' ? 1 : 0] ?? '0')
}
