// Pictures, sound and files. Their bytes reach the page only as <img>, <audio> or a download.
import { useLayoutEffect, useMemo, useState } from 'preact/hooks'
import { formatSize, fromBase64, toFileName, toMediaType } from './files.ts'
import { toVisible } from './visible-text.ts'

type Bytes = Uint8Array<ArrayBuffer>

/** A URL of this page for bytes, as long as the component lives. */
function useBlobUrl(bytes: Bytes | undefined, type: string): string | undefined {
  const [url, setUrl] = useState<string>()
  // Before the first paint: nobody sees a link that leads nowhere.
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

interface MediaProps {
  readonly data: string
  readonly mimeType: string
  readonly name: string
}

export function Picture({ data, mimeType, name }: MediaProps) {
  const type = toMediaType(mimeType)
  const bytes = useMemo(() => fromBase64(data), [data])
  const isSvg = type === 'image/svg+xml'
  const blobUrl = useBlobUrl(isSvg ? undefined : bytes, type)
  // "Open image in new tab" makes a document of an SVG: from a data: URL it has no origin, and browsers refuse to open it.
  const src = isSvg ? bytes && `data:${type};base64,${data}` : blobUrl
  const [hasFailed, setFailed] = useState(false)
  if (bytes === undefined) return <NotBase64 />
  return (
    <figure class="media">
      {hasFailed ? (
        <p class="notice notice-warning">The browser cannot show this as {toVisible(type)}.</p>
      ) : (
        src !== undefined && <img src={src} alt={toVisible(name)} onError={() => setFailed(true)} />
      )}
      <figcaption>
        <FileLine bytes={bytes} mimeType={type} name={name} />
      </figcaption>
    </figure>
  )
}

export function Sound({ data, mimeType, name }: MediaProps) {
  const type = toMediaType(mimeType)
  const bytes = useMemo(() => fromBase64(data), [data])
  const src = useBlobUrl(bytes, type)
  if (bytes === undefined) return <NotBase64 />
  return (
    <figure class="media">
      {/* biome-ignore lint/a11y/useMediaCaption: a tool sends sound without captions */}
      {src !== undefined && <audio controls src={src} aria-label={toVisible(name)} />}
      <figcaption>
        <FileLine bytes={bytes} mimeType={type} name={name} />
      </figcaption>
    </figure>
  )
}

/** A file of base64: what it says it is, and a download. */
export function File({ data, mimeType, name }: MediaProps) {
  const bytes = useMemo(() => fromBase64(data), [data])
  return bytes === undefined ? <NotBase64 /> : <FileLine bytes={bytes} mimeType={mimeType} name={name} />
}

export function FileLine({ bytes, mimeType, name }: { bytes: Bytes; mimeType: string; name: string }) {
  // Never the type that it claims: opened from the link, HTML would run as a page of this origin.
  const url = useBlobUrl(bytes, 'application/octet-stream')
  const fileName = toFileName(name)
  return (
    <span class="row">
      <span class="hint">
        {toVisible(mimeType.slice(0, 100)) || 'unknown type'}, {formatSize(bytes.length)}
      </span>
      {url !== undefined && (
        <a class="button button-small" href={url} download={fileName}>
          Download {fileName}
        </a>
      )}
    </span>
  )
}

const NotBase64 = () => <p class="notice notice-error">These data are not base64, so they cannot be shown.</p>
