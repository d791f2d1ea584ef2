// Messages between replicas about sessions: requests reach any replica, streams stay at one.
import type { JsonRpcResponse, RequestId } from '../protocol/messages.ts'
import type { Store } from './store.ts'

/** A message of one replica to the others. */
export type ReplicaMessage =
  /** Its client answered a question that is not asked here. */
  | { readonly kind: 'answer'; readonly session: string; readonly response: JsonRpcResponse }
  /** Its client cancelled a request that is not served here. */
  | { readonly kind: 'cancel'; readonly session: string; readonly requestId: RequestId }
  /** Its client has looked at a task that waits for answers, and does not listen here. */
  | { readonly kind: 'looked'; readonly session: string; readonly taskId: string }
  /** Its record was changed. */
  | { readonly kind: 'changed'; readonly session: string }
  /** Its newest stream has opened here: the others stop to send its notifications. */
  | { readonly kind: 'reads'; readonly session: string }
  | { readonly kind: 'ended'; readonly session: string }

/** What replicas tell each other. */
export interface ReplicaChannel extends Store {
  /** Lost where it cannot be told. */
  publish(message: ReplicaMessage): void
  /** Receives all messages of others, and its own `reads`: the later `reads` is right. */
  subscribe(listener: (message: ReplicaMessage, isOwn: boolean) => void): void
}

/** The channel of a process that has no replicas. */
export const noReplicas: ReplicaChannel = Object.freeze({
  publish: () => {},
  subscribe: () => {},
})
