// The facts of a content block besides its content: annotations and `_meta`.
import { Icon } from '../parts/Icon.tsx'
import { JsonText } from '../parts/JsonText.tsx'
import type { Fields } from './parts.ts'
import { toJson } from './values.ts'

export function Extras({ block }: { block: Fields }) {
  const { annotations, _meta } = block
  const extras = { ...(annotations !== undefined && { annotations }), ...(_meta !== undefined && { _meta }) }
  if (Object.keys(extras).length === 0) return null
  return <Folded summary={Object.keys(extras).join(' and ')} text={toJson(extras)} />
}

/** JSON, or a text that few users want to see. */
export const Folded = ({ summary, text }: { summary: string; text: string }) => (
  <details class="extras">
    <summary>
      <Icon name="right" size={12} />
      <span class="muted">{summary}</span>
    </summary>
    {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by keyboard */}
    <pre class="plain" tabIndex={0}>
      <JsonText text={text} />
    </pre>
  </details>
)
