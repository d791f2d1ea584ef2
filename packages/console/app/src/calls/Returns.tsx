// Before the first call: the result that the tool declares.
import type { Tool } from '@modelcontextprotocol/client'
import { formatType } from '@toolrack/json-schema/signature'
import { JsonTokens } from '../parts/JsonText.tsx'
import { layOutType, toTypeTokens } from './type-layout.ts'

export function Returns({ tool: { outputSchema } }: { tool: Tool }) {
  if (outputSchema === undefined) {
    return (
      <section class="stack-8">
        <div class="row">
          <h2>Returns</h2>
          <span class="faint">text or files: the tool declares no structure</span>
        </div>
      </section>
    )
  }
  return (
    <section class="stack-8">
      <div class="row">
        <h2>Returns</h2>
        <span class="faint">structured, as the tool declares it</span>
      </div>
      <div class="code">
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by keyboard */}
        <pre tabIndex={0} class="signature">
          <JsonTokens tokens={toTypeTokens(layOutType(formatType(outputSchema)))} />
        </pre>
      </div>
    </section>
  )
}
