// Messages between replicas about sessions: requests reach any replica, streams stay at one.
import type { JsonRpcResponse, RequestId } from '../protocol/messages.ts'
import type { Store } from './store.ts'

/** A message of one replica to the others. */
export type ReplicaMessage =
  /** Its client answered a question that is not asked here. */
  | { readonly kind: 'answer'; readonly session: string; readonly response: JsonRpcResponse }
  /** Its client cancelled a request that is not served here. */
  | { readonly kind: 'cancel'; readonly session: string; readonly requestId: RequestId }
  /** Its client has looked at a task that waits for answers, and is not connected here. */
  | { readonly kind: 'looked'; readonly session: string; readonly taskId: string }
  /** Its record was changed. */
  | { readonly kind: 'changed'; readonly session: string }
  /** Its newest stream has opened at this replica, so the others stop sending its notifications. */
  | { readonly kind: 'reads'; readonly session: string }
  | { readonly kind: 'ended'; readonly session: string }

/** Messages between replicas. */
export interface ReplicaChannel extends Store {
  /** The message is lost if it cannot be sent. */
  publish(message: ReplicaMessage): void
  /**
   * Receives all messages of other replicas, and its own `reads`: of two, the later `reads` is
   * right.
   */
  subscribe(listener: (message: ReplicaMessage, isOwn: boolean) => void): void
}

/** The channel of a process that has no replicas. */
export const noReplicas: ReplicaChannel = Object.freeze({
  publish: () => {},
  subscribe: () => {},
})
