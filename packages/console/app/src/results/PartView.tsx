// One part of a result in one of its views. It fills its pane, or is one box among others.
import type { ComponentChildren } from 'preact'
import { Scroll } from '../parts/Scroll.tsx'
import { Visible } from '../parts/Visible.tsx'
import { JsonLines, TextLines } from './JsonLines.tsx'
import { Markdown } from './Markdown.tsx'
import { FileView, PictureView, SoundView } from './Media.tsx'
import type { Part } from './parts.ts'
import { ResourceLink, Uri } from './ResourceLink.tsx'
import { RowsTable } from './RowsTable.tsx'
import type { Shape } from './shape.ts'
import { Tree } from './Tree.tsx'
import { formatFigure, isNumeric, isScalar, toJson } from './values.ts'

interface Props {
  readonly part: Part
  /** One of `listViews`. */
  readonly view: string | undefined
  readonly isBox?: boolean
  /** For downloads, without extension. */
  readonly fileName: string
  /** Content above and below the part, which scrolls with it. */
  readonly before?: ComponentChildren
  readonly after?: ComponentChildren
}

type Kind<K extends Part['kind']> = Extract<Part, { kind: K }>

export function PartView({ part, ...props }: Props) {
  if (part.kind === 'value') return <ValueView part={part} {...props} />
  if (part.kind === 'text') return <TextView part={part} {...props} />
  const { isBox, before, after } = props
  return (
    <Scroll label="Result" isBox={isBox}>
      {before}
      <div class="pane-pad">
        <Other part={part} {...props} />
        {after}
      </div>
    </Scroll>
  )
}

function ValueView({ part, view, ...props }: Props & { part: Kind<'value'> }) {
  const { value, shape, text } = part
  const { fileName } = props
  if (view === 'table' && (shape.kind === 'rows' || shape.kind === 'figures')) return <Table shape={shape} {...props} />
  if (view === 'text') {
    return <JsonLines {...props} text={text ?? toJson(value)} label="Result" fileName={`${fileName}.json`} />
  }
  return (
    <Padded {...props}>
      {view === 'figure' && shape.kind === 'figure' ? (
        <Figures figures={[[shape.name, shape.value]]} />
      ) : isEmpty(value) ? (
        <p class="muted">{Array.isArray(value) ? 'The list is empty.' : 'The object is empty.'}</p>
      ) : (
        <Tree value={value} />
      )}
    </Padded>
  )
}

const isEmpty = (value: unknown): boolean => !isScalar(value) && Object.keys(value as object).length === 0

/** Longer texts are shown by their lines. */
const MANY_LINES = 500
const LONG = 256_000

function TextView({ part: { text }, view, ...props }: Props & { part: Kind<'text'> }) {
  if (view !== 'formatted' && isLong(text))
    return <TextLines {...props} text={text} label="Result" fileName={`${props.fileName}.txt`} />
  return (
    <Padded {...props}>
      {view === 'formatted' ? (
        <Markdown text={text} />
      ) : (
        <pre class="plain">
          <Visible text={text} />
        </pre>
      )}
    </Padded>
  )
}

const isLong = (text: string): boolean => text.length > LONG || text.split('\n', MANY_LINES + 1).length > MANY_LINES

type PaddedProps = Pick<Props, 'isBox' | 'before' | 'after'> & { readonly children: ComponentChildren }

const Padded = ({ isBox, before, after, children }: PaddedProps) => (
  <Scroll label="Result" isBox={isBox}>
    {before}
    <div class="pane-pad">
      {children}
      {after}
    </div>
  </Scroll>
)

type TableProps = Omit<Props, 'part' | 'view'> & { readonly shape: Extract<Shape, { kind: 'rows' | 'figures' }> }

function Table({ shape, before, after, ...props }: TableProps) {
  if (shape.kind === 'rows') return <RowsTable rows={shape.rows} before={before} after={after} {...props} />
  const { figures, name, rows, rest } = shape
  const above = (
    <>
      {before}
      {figures.length > 0 && (
        <div class="pane-pad">
          <Figures figures={figures} />
        </div>
      )}
      <div class="row table-title">
        <h2>
          <Visible text={name} />
        </h2>
        <span class="count">{rows.rows.length}</span>
      </div>
    </>
  )
  const below = (rest !== undefined || after) && (
    <>
      {rest !== undefined && <Tree value={rest} />}
      {after}
    </>
  )
  return <RowsTable rows={rows} before={above} after={below} {...props} />
}

const Figures = ({ figures }: { figures: readonly (readonly [string, unknown])[] }) => (
  <dl class="figures">
    {figures.map(([name, value]) => (
      <div key={name}>
        <dt>
          <Visible text={name} />
        </dt>
        <dd class={value === null ? 'null' : undefined}>
          {isNumeric(value) ? formatFigure(name, value) : <Visible text={String(value)} />}
        </dd>
      </div>
    ))}
  </dl>
)

function Other({ part, view, fileName }: Props & { part: Exclude<Part, Kind<'value' | 'text'>> }) {
  switch (part.kind) {
    case 'picture':
      return <PictureView media={part.media} isFull={view === 'full'} />
    case 'sound':
      return <SoundView media={part.media} />
    case 'file':
      return <FileView media={part.media} />
    case 'link':
      return <ResourceLink block={part.block} />
    case 'resource':
      return (
        <div class="stack-8">
          <p class="row row-wrap">
            <Uri uri={part.uri} />
            {part.mimeType !== '' && (
              <span class="faint">
                <Visible text={part.mimeType.slice(0, 100)} />
              </span>
            )}
          </p>
          <div class="part">
            <PartView part={part.inner} view={view} isBox fileName={fileName} />
          </div>
        </div>
      )
  }
}
