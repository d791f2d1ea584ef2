// The pane of a tool's arguments: what the tool is, its form, and the call.
import type { Tool } from '@modelcontextprotocol/client'
import type { Call } from '../calls/call.ts'
import { Scroll } from '../parts/Scroll.tsx'
import { Prose, Visible } from '../results/PlainText.tsx'
import { BackToList } from '../shell/PhoneNav.tsx'
import { Arguments } from './Arguments.tsx'
import { Badges } from './Badges.tsx'

interface Props {
  readonly tool: Tool
  /** The newest call of the tool. */
  readonly call: Call | undefined
}

export function ArgumentsPane({ tool, call }: Props) {
  return (
    <section class="pane pane-form" aria-label="Arguments">
      <header class="tool-head">
        <BackToList section="tools">All tools</BackToList>
        <h2>
          <Visible text={tool.name} />
        </h2>
        <Prose text={tool.description} />
        <Badges tool={tool} />
      </header>
      <Scroll label="Fields" isPadded>
        <Arguments tool={tool} call={call} />
      </Scroll>
    </section>
  )
}
