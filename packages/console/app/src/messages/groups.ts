// Groups repeats of a notification on one stream. The newest represents them.
import type { LoggedMessage } from '../client/message-log.ts'

export interface MessageGroup {
  readonly key: number
  /** The kept ones, the oldest first. */
  readonly messages: readonly LoggedMessage[]
  readonly last: LoggedMessage
  /** How many have arrived, including dropped ones. */
  readonly times: number
  readonly bytes: number
}

/** @param messages the oldest first @returns in the order of the first of each group */
export function groupRepeats(messages: readonly LoggedMessage[]): readonly MessageGroup[] {
  const groups = Map.groupBy(messages, message =>
    message.repeats === undefined ? message.seq : `${message.http} ${message.method}`,
  )
  return [...groups.values()].map(group => {
    const last = group.at(-1)!
    const { times, bytes } = last.repeats ?? { times: 1, bytes: last.bytes }
    return { key: group[0]!.seq, messages: group, last, times, bytes }
  })
}
