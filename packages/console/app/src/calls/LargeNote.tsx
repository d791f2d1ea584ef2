// Says that a result is larger than models and their clients accept.
import { Note } from '../parts/Note.tsx'
import { formatBytes, formatNumber } from '../results/format.ts'

/** A token is about four bytes of English or of JSON. */
const BYTES_PER_TOKEN = 4
/** Claude Code cuts at this size, unless MAX_MCP_OUTPUT_TOKENS is set. */
const CUT_TOKENS = 25_000
/** The context of many models. */
const CONTEXT_TOKENS = 200_000

export function LargeNote({ bytes = 0 }: { bytes: number | undefined }) {
  const tokens = bytes / BYTES_PER_TOKEN
  if (tokens <= CUT_TOKENS) return null
  const digits = 10 ** Math.floor(Math.log10(tokens) - 1)
  return (
    <div class="pane-pad">
      <Note kind="warning">
        <p>
          <strong>
            {formatBytes(bytes)}, about {formatNumber(Math.round(tokens / digits) * digits)} tokens.
          </strong>{' '}
          {tokens > CONTEXT_TOKENS ? 'A model cannot read this.' : 'This fills much of what a model can read.'} Claude
          Code cuts a result at {formatNumber(CUT_TOKENS)} tokens. Let the tool return a page or a link.
        </p>
      </Note>
    </div>
  )
}
