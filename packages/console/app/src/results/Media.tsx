// Pictures, sound and files. Their bytes get into the page only as <img>, <audio> or a download.
import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useMemo, useState } from 'preact/hooks'
import { saveFile } from '../parts/download.ts'
import { Icon } from '../parts/Icon.tsx'
import { Note } from '../parts/Note.tsx'
import { toVisible } from '../parts/visible-text.ts'
import { fromBase64, toFileName, toMediaType } from './files.ts'
import { formatBytes } from './format.ts'
import type { Media } from './parts.ts'

type Bytes = Uint8Array<ArrayBuffer>

/** A URL of this page for bytes, as long as the component lives. */
function useBlobUrl(bytes: Bytes | undefined, type: string): string | undefined {
  const [url, setUrl] = useState<string>()
  // Before the first paint, so that nobody sees a broken link.
  useLayoutEffect(() => {
    if (bytes === undefined) return
    const made = URL.createObjectURL(new Blob([bytes], { type }))
    setUrl(made)
    return () => {
      URL.revokeObjectURL(made)
      setUrl(undefined)
    }
  }, [bytes, type])
  return url
}

interface PictureProps {
  readonly media: Media
  /** In its own size, even if it is larger than the pane. */
  readonly isFull: boolean
}

export function PictureView({ media: { data, mimeType, name }, isFull }: PictureProps) {
  const type = toMediaType(mimeType)
  const bytes = useMemo(() => fromBase64(data), [data])
  const isSvg = type === 'image/svg+xml'
  const blobUrl = useBlobUrl(isSvg ? undefined : bytes, type)
  // "Open image in new tab" would open an SVG as a document. From a data: URL it has no origin, and
  // browsers refuse to open it.
  const src = isSvg ? bytes && `data:${type};base64,${data}` : blobUrl
  const [hasFailed, setFailed] = useState(false)
  const [size, setSize] = useState<string>()
  if (bytes === undefined) return <NotBase64 />
  return (
    <figure class="stack-8">
      {hasFailed ? (
        <Note kind="warning">The browser cannot show this as {toVisible(type)}.</Note>
      ) : (
        <div class={isFull ? 'picture picture-full' : 'picture'}>
          {src !== undefined && (
            <img
              src={src}
              alt={toVisible(name)}
              onError={() => setFailed(true)}
              onLoad={({ currentTarget: { naturalWidth, naturalHeight } }) =>
                setSize(`${naturalWidth} × ${naturalHeight}`)
              }
            />
          )}
        </div>
      )}
      <FileLine bytes={bytes} type={type} name={name} facts={size}>
        {!hasFailed && src !== undefined && <CopyPicture src={src} name={name} />}
      </FileLine>
    </figure>
  )
}

/** Clipboards accept only PNG, so the picture is drawn first. */
function CopyPicture({ src, name }: { src: string; name: string }) {
  const [said, say] = useState('Copy')
  const copy = async () => {
    try {
      await navigator.clipboard.write([new ClipboardItem({ 'image/png': drawPng(src) })])
      say('Copied')
    } catch {
      // Without HTTPS there is no clipboard, and some browsers do not accept pictures.
      say('Cannot copy here')
    }
  }
  return (
    <button type="button" class="button button-ghost button-s" aria-label={`Copy ${toVisible(name)}`} onClick={copy}>
      <Icon name="copy" />
      <span role="status">{said}</span>
    </button>
  )
}

async function drawPng(src: string): Promise<Blob> {
  const image = new Image()
  image.src = src
  await image.decode()
  const canvas = document.createElement('canvas')
  canvas.width = image.naturalWidth
  canvas.height = image.naturalHeight
  canvas.getContext('2d')!.drawImage(image, 0, 0)
  return new Promise((resolve, reject) =>
    canvas.toBlob(blob => (blob === null ? reject(new Error('No picture')) : resolve(blob)), 'image/png'),
  )
}

export function SoundView({ media: { data, mimeType, name } }: { media: Media }) {
  const type = toMediaType(mimeType)
  const bytes = useMemo(() => fromBase64(data), [data])
  const src = useBlobUrl(bytes, type)
  if (bytes === undefined) return <NotBase64 />
  return (
    <figure class="stack-8">
      {/* biome-ignore lint/a11y/useMediaCaption: a tool sends sound without captions */}
      {src !== undefined && <audio controls src={src} aria-label={toVisible(name)} />}
      <FileLine bytes={bytes} type={type} name={name} />
    </figure>
  )
}

/** A file in base64: its type as it claims, and a download. */
export function FileView({ media: { data, mimeType, name } }: { media: Media }) {
  const bytes = useMemo(() => fromBase64(data), [data])
  return bytes === undefined ? (
    <NotBase64 />
  ) : (
    <figure>
      <FileLine bytes={bytes} type={mimeType} name={name} />
    </figure>
  )
}

interface FileLineProps {
  readonly bytes: Bytes
  readonly type: string
  readonly name: string
  readonly facts?: string | undefined
  readonly children?: ComponentChildren
}

function FileLine({ bytes, type, name, facts, children }: FileLineProps) {
  const fileName = toFileName(name)
  const known = [fileName, facts, toVisible(type.slice(0, 100)) || 'unknown type', formatBytes(bytes.length)]
  return (
    <figcaption class="row row-wrap muted">
      <span class="file-facts grow num">{known.filter(each => each !== undefined).join(' · ')}</span>
      {children}
      <button
        type="button"
        class="button button-ghost button-s"
        aria-label={`Download ${fileName}`}
        onClick={() => saveFile(fileName, bytes)}
      >
        <Icon name="download" />
        Download
      </button>
    </figcaption>
  )
}

const NotBase64 = () => <Note kind="danger">These data are not base64, so they cannot be shown.</Note>
