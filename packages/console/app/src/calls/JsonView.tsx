// The answer of the server as JSON, as it was written.
import { Scroll } from '../parts/Scroll.tsx'
import { JsonLines } from '../results/JsonLines.tsx'
import type { Answered } from './answered.ts'
import type { Call } from './call.ts'
import { LargeNote } from './LargeNote.tsx'

interface Props {
  readonly call: Call | undefined
  readonly answered: Answered | undefined
  readonly isWrapped: boolean
}

export function JsonView({ call, answered, isWrapped }: Props) {
  if (answered === undefined) {
    return (
      <Scroll label="JSON" isPadded>
        <p class="muted">{describeNothing(call)}</p>
      </Scroll>
    )
  }
  return (
    <JsonLines
      text={answered.json}
      label="JSON"
      fileName={`${answered.fileName}.json`}
      isWrapped={isWrapped}
      before={<LargeNote bytes={call?.bytes} />}
    />
  )
}

function describeNothing(call: Call | undefined): string {
  if (call === undefined) return 'Nothing called yet'
  if (call.status === 'running') return 'The answer has not come yet.'
  return call.isCut ? 'This answer was too large to be kept over the reload.' : 'No answer came.'
}
