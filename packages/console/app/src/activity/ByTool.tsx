// Each tool with its figures. A click on its name filters the view.
import type { ToolSum } from '../../../src/activity/activity.ts'
import { Visible } from '../parts/Visible.tsx'
import { formatDuration, formatNumber } from '../results/format.ts'
import { toHash } from '../shell/router.ts'

export const ByTool = ({ tools, chosen }: { tools: readonly ToolSum[]; chosen: string | undefined }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by keyboard
  // biome-ignore lint/a11y/useSemanticElements: a fieldset is for controls
  <section class="card by-tool grid-scroll" tabIndex={0} role="group" aria-label="By tool">
    <table class="grid">
      <thead>
        <tr>
          <th scope="col">Tool</th>
          <th scope="col" class="n">
            Calls
          </th>
          <th scope="col" class="n">
            Errors
          </th>
          <th scope="col" class="n">
            p50
          </th>
          <th scope="col" class="n">
            p95
          </th>
        </tr>
      </thead>
      <tbody>
        {tools.map(tool => (
          <Row key={tool.name} tool={tool} isChosen={tool.name === chosen} />
        ))}
        {tools.length === 0 && (
          <tr>
            <td class="muted" colSpan={5}>
              No tool was called
            </td>
          </tr>
        )}
      </tbody>
    </table>
  </section>
)

/** A click on the chosen tool shows all tools again. */
const Row = ({ tool: { name, calls, errors, p50Ms, p95Ms }, isChosen }: { tool: ToolSum; isChosen: boolean }) => (
  <tr class={isChosen ? 'is-current' : undefined}>
    <td class="mono">
      <a
        href={toHash({ section: 'activity', ...(!isChosen && { name }) })}
        aria-current={isChosen ? 'true' : undefined}
        title={isChosen ? 'All tools' : `${name} only`}
      >
        <Visible text={name} />
      </a>
    </td>
    <td class="n">{formatNumber(calls)}</td>
    <td class="n">{errors > 0 ? <span class="danger-text">{formatNumber(errors)}</span> : 0}</td>
    <td class="n">{p50Ms === null ? '–' : formatDuration(p50Ms)}</td>
    <td class="n">{p95Ms === null ? '–' : formatDuration(p95Ms)}</td>
  </tr>
)
