// One content block of a result, a prompt message or a resource: shown as what it is, whatever it claims to be.
import type { ComponentChildren } from 'preact'
import { useMemo } from 'preact/hooks'
import { isObject } from '../client/json-rpc.ts'
import { isAudio, isPicture, nameByType, toWebUrl } from './files.ts'
import { File, FileLine, Picture, Sound } from './Media.tsx'
import { PlainText, Visible } from './PlainText.tsx'
import { ValueView } from './ValueView.tsx'
import { parseJson, toJson } from './values.ts'

/** @param content a block of any type, of a server that is not trusted */
export function ContentView({ content }: { content: unknown }) {
  const block = isObject(content) ? content : {}
  return (
    <div class="content-block">
      <Block block={block} content={content} />
      <Extras block={block} />
    </div>
  )
}

type Fields = Readonly<Record<string, unknown>>
const readText = (fields: Fields, key: string): string => (typeof fields[key] === 'string' ? fields[key] : '')

function Block({ block, content }: { block: Fields; content: unknown }) {
  const data = readText(block, 'data')
  const mimeType = readText(block, 'mimeType')
  switch (block['type']) {
    case 'text':
      return <Text text={readText(block, 'text')} />
    case 'image': {
      const View = isPicture(mimeType) ? Picture : File
      return <View data={data} mimeType={mimeType} name={nameByType('picture', mimeType)} />
    }
    case 'audio': {
      const View = isAudio(mimeType) ? Sound : File
      return <View data={data} mimeType={mimeType} name={nameByType('sound', mimeType)} />
    }
    case 'resource':
      return <ResourceContents contents={isObject(block['resource']) ? block['resource'] : {}} />
    case 'resource_link':
      return <ResourceLink block={block} />
    default:
      return <ValueView value={content} />
  }
}

function Text({ text }: { text: string }) {
  const value = useMemo(() => parseJson(text), [text])
  return value === undefined ? <PlainText text={text} /> : <ValueView value={value} text={text} />
}

/** The contents of a resource, embedded in a result or read by `resources/read`. */
export function ResourceContents({ contents }: { contents: Fields }) {
  const uri = readText(contents, 'uri')
  const mimeType = readText(contents, 'mimeType')
  const View = isPicture(mimeType) ? Picture : isAudio(mimeType) ? Sound : File
  return (
    <div class="resource">
      <p>
        <Uri uri={uri} />
      </p>
      {typeof contents['text'] === 'string' ? (
        <TextFile text={contents['text']} mimeType={mimeType} name={uri} />
      ) : (
        <View data={readText(contents, 'blob')} mimeType={mimeType} name={uri} />
      )}
    </div>
  )
}

function TextFile({ text, mimeType, name }: { text: string; mimeType: string; name: string }) {
  const bytes = useMemo(() => new TextEncoder().encode(text), [text])
  return (
    <>
      <Text text={text} />
      <FileLine bytes={bytes} mimeType={mimeType} name={name} />
    </>
  )
}

const Fact = ({ name, children }: { name: string; children: ComponentChildren }) => (
  <>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </>
)

function ResourceLink({ block }: { block: Fields }) {
  const { size } = block
  const description = readText(block, 'description')
  const mimeType = readText(block, 'mimeType')
  return (
    <dl class="facts">
      <Fact name="Resource">
        <Visible text={readText(block, 'title') || readText(block, 'name')} />
      </Fact>
      <Fact name="URI">
        <Uri uri={readText(block, 'uri')} />
      </Fact>
      {description !== '' && (
        <Fact name="About">
          <Visible text={description} />
        </Fact>
      )}
      {mimeType !== '' && (
        <Fact name="Type">
          <Visible text={mimeType} />
        </Fact>
      )}
      {typeof size === 'number' && <Fact name="Size">{size.toLocaleString('en')} bytes</Fact>}
    </dl>
  )
}

const MAX_URI = 2_000

/** A URI as text. One of the web can be followed: the link is the whole URL, so nothing is hidden behind a name. */
function Uri({ uri }: { uri: string }) {
  const url = toWebUrl(uri)
  const text = uri.length > MAX_URI ? `${uri.slice(0, MAX_URI)}…` : uri
  return url === undefined ? (
    <code class="uri">
      <Visible text={text} />
    </code>
  ) : (
    <a class="uri mono" href={url} target="_blank" rel="noopener noreferrer">
      {url}
    </a>
  )
}

function Extras({ block }: { block: Fields }) {
  const { annotations, _meta } = block
  const extras = { ...(annotations !== undefined && { annotations }), ...(_meta !== undefined && { _meta }) }
  if (Object.keys(extras).length === 0) return null
  return (
    <details class="extras">
      <summary>{Object.keys(extras).join(' and ')}</summary>
      <PlainText text={toJson(extras)} />
    </details>
  )
}
