// The state of the connection and the lists of the server, as the views read them.
import type { Prompt, Resource, ResourceTemplateType, ServerCapabilities, Tool } from '@modelcontextprotocol/client'
import type { ListChange } from './list-changes.ts'
import type { Problem } from './problem.ts'

export interface ConnectionState {
  readonly status: 'connecting' | 'connected' | 'reconnecting' | 'failed'
  /** Whether the server notifies of changes of its lists. */
  readonly follows: boolean
  readonly era?: 'modern' | 'legacy'
  readonly revision?: string
  readonly server?: { readonly name: string; readonly title?: string; readonly version: string }
  readonly instructions?: string
  readonly capabilities?: ServerCapabilities
  /** Only in revisions with sessions. */
  readonly session?: string
  readonly problem?: Problem
  /**
   * When the connection broke; undefined once there is a new one. Everything that ended earlier is
   * from before the break.
   */
  readonly brokenAt?: number
  /** The next attempt to connect. */
  readonly retry?: Retry
}

export interface Retry {
  /** From 1. */
  readonly attempt: number
  readonly of: number
  /** When it starts. After that, it runs. */
  readonly at: number
}

/** `undefined` until it is loaded. */
export interface Lists {
  readonly tools?: readonly Tool[]
  readonly resources?: readonly Resource[]
  readonly templates?: readonly ResourceTemplateType[]
  readonly prompts?: readonly Prompt[]
}

/** A message that the user did not ask for. */
export interface Notice {
  readonly id: number
  /** A sentence. */
  readonly title: string
  readonly text: string
  /** Shown by the button Show. */
  readonly change?: ListChange
}

export const describeState = ({ status, revision }: ConnectionState): string =>
  ({
    connecting: 'Connecting…',
    connected: `Connected, ${revision ?? ''}`,
    reconnecting: 'Connection lost. Reconnecting…',
    failed: 'Not connected',
  })[status]
