// A link to a resource of the server: its name, and where it opens. Its URI is plain text, unless it
// is a web address.
import { Icon } from '../parts/Icon.tsx'
import { Visible } from '../parts/Visible.tsx'
import { toWebUrl } from './files.ts'
import { formatBytes } from './format.ts'
import { InlineText } from './Markdown.tsx'
import { type Fields, readText } from './parts.ts'

export function ResourceLink({ block }: { block: Fields }) {
  const { size } = block
  const uri = readText(block, 'uri')
  const description = readText(block, 'description')
  const mimeType = readText(block, 'mimeType')
  const facts = [
    ...(mimeType === '' ? [] : [mimeType.slice(0, 100)]),
    ...(typeof size === 'number' ? [formatBytes(size)] : []),
  ]
  return (
    <article class="resource-link stack-4">
      <p class="row row-wrap">
        <Icon name="resources" />
        <strong>
          <Visible text={readText(block, 'title') || readText(block, 'name') || uri.slice(0, 200)} />
        </strong>
        <span class="muted">
          <Visible text={facts.join(' · ')} />
        </span>
        {uri !== '' && (
          <a class="button button-ghost button-s" href={`#/resources/${encodeURIComponent(uri.toWellFormed())}`}>
            Open in Resources
          </a>
        )}
      </p>
      {description !== '' && (
        <p class="muted">
          <InlineText text={description} />
        </p>
      )}
      <p>
        <Uri uri={uri} />
      </p>
    </article>
  )
}

const MAX_URI = 2_000

/**
 * A URI as text. A web address can be followed: the link shows the whole URL, so that nothing is
 * hidden behind a name.
 */
export function Uri({ uri }: { uri: string }) {
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
