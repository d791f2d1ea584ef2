// A part of a result as a box among others, with its kind, its views, Copy and Download above it.
import { useState } from 'preact/hooks'
import { CopyButton } from '../parts/CopyButton.tsx'
import { saveFile } from '../parts/download.ts'
import { Icon } from '../parts/Icon.tsx'
import { Segmented } from '../parts/Segmented.tsx'
import { ErrorBoundary } from '../shell/ErrorBoundary.tsx'
import { Extras } from './Extras.tsx'
import { PartView } from './PartView.tsx'
import { toFile, toPartText } from './part-text.ts'
import { type Fields, listViews, type Part } from './parts.ts'

interface Props {
  readonly part: Part
  readonly block: Fields
  readonly fileName: string
}

function save(part: Part, fileName: string): void {
  const file = toFile(part, fileName)
  if (file !== undefined) saveFile(file.name, file.data)
}

const KINDS: Readonly<Record<Part['kind'], string>> = {
  value: 'Value',
  text: 'Text',
  picture: 'Image',
  sound: 'Audio',
  file: 'File',
  link: 'Link',
  resource: 'Resource',
}

const nameKind = (part: Part): string => (part.kind === 'text' && part.isMarkdown ? 'Markdown' : KINDS[part.kind])

export function PartBox({ part, block, fileName }: Props) {
  const views = listViews(part)
  const [view, choose] = useState(views[0]?.[0])
  const text = toPartText(part)
  return (
    <div class="part">
      <div class="part-head">
        <span class="grow cut">{nameKind(part)}</span>
        {views.length > 0 && (
          <Segmented label={part.kind === 'picture' ? 'Zoom' : 'View'} choices={views} value={view} onChange={choose} />
        )}
        {text !== undefined && (
          <span class="row">
            <CopyButton text={text} label="Copy this part" isIcon />
            <button
              type="button"
              class="icon-button"
              aria-label="Download this part"
              title="Download this part"
              onClick={() => save(part, fileName)}
            >
              <Icon name="download" />
            </button>
          </span>
        )}
      </div>
      <ErrorBoundary>
        <PartView part={part} view={view} isBox fileName={fileName} />
      </ErrorBoundary>
      <Extras block={block} />
    </div>
  )
}
