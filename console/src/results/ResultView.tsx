// The result of a tool call. Nothing in it can run: it reaches the page as text, <img>, <audio> or a download.
import type { CallToolResult } from '@modelcontextprotocol/client'
import { ContentView } from './ContentView.tsx'
import { PlainText } from './PlainText.tsx'
import { ValueView } from './ValueView.tsx'
import { parseJson, toJson } from './values.ts'

/** Blocks that are shown; a page with more stops answering. */
const MAX_BLOCKS = 200

export function ResultView({ result }: { result: CallToolResult }) {
  const { content = [], structuredContent, isError, _meta } = result
  const blocks = (Array.isArray(content) ? content : []).slice(0, MAX_BLOCKS)
  const isCopy = (block: unknown) => structuredContent !== undefined && isTextOf(block, structuredContent)
  const copies = blocks.filter(isCopy)
  return (
    <div class={isError ? 'result result-error' : 'result'}>
      {isError && (
        <p class="notice notice-error" role="alert">
          <strong>The tool failed.</strong> It says why below.
        </p>
      )}
      {structuredContent !== undefined && (
        <section aria-label="Structured result">
          <ValueView value={structuredContent} />
        </section>
      )}
      {blocks.map((block, index) =>
        isCopy(block) ? null : (
          <section key={index} aria-label={`Content ${index + 1} of ${content.length}`}>
            <ContentView content={block} />
          </section>
        ),
      )}
      {content.length > MAX_BLOCKS && (
        <p class="hint">
          {MAX_BLOCKS} of {content.length.toLocaleString('en')} content blocks. The raw message has all.
        </p>
      )}
      {blocks.length === 0 && structuredContent === undefined && <p class="hint">The result is empty.</p>}
      {copies.length > 0 && <Folded label="The same as text" blocks={copies} />}
      {_meta !== undefined && (
        <details class="extras">
          <summary>_meta</summary>
          <PlainText text={toJson(_meta)} />
        </details>
      )}
    </div>
  )
}

const Folded = ({ label, blocks }: { label: string; blocks: readonly unknown[] }) => (
  <details class="extras">
    <summary>{label}</summary>
    {blocks.map((block, index) => (
      <PlainText key={index} text={(block as { text: string }).text} />
    ))}
  </details>
)

/** Servers send the structured result as text too, for older clients. */
function isTextOf(block: unknown, structured: unknown): boolean {
  const { type, text } = (block ?? {}) as { type?: unknown; text?: unknown }
  if (type !== 'text' || typeof text !== 'string') return false
  const value = parseJson(text)
  return value !== undefined && toJson(value) === toJson(structured)
}
