// The state of the connection and the lists of the server, as the views read them.
import type { Prompt, Resource, ResourceTemplateType, ServerCapabilities, Tool } from '@modelcontextprotocol/client'
import type { ListChange } from './list-changes.ts'
import type { Problem } from './problem.ts'

export interface ConnectionState {
  readonly status: 'connecting' | 'connected' | 'reconnecting' | 'failed'
  /** Whether the server says when its lists change. */
  readonly follows: boolean
  readonly era?: 'modern' | 'legacy'
  readonly revision?: string
  readonly server?: { readonly name: string; readonly title?: string; readonly version: string }
  readonly instructions?: string
  readonly capabilities?: ServerCapabilities
  /** Of revisions with sessions. */
  readonly session?: string
  readonly problem?: Problem
  /** When the connection broke, until there is another. What ended earlier is from before the break. */
  readonly brokenAt?: number
  /** The next try to connect again. */
  readonly retry?: Retry
}

export interface Retry {
  /** From 1. */
  readonly attempt: number
  readonly of: number
  /** When it begins; it is under way from then on. */
  readonly at: number
}

/** `undefined` until it is loaded. */
export interface Lists {
  readonly tools?: readonly Tool[]
  readonly resources?: readonly Resource[]
  readonly templates?: readonly ResourceTemplateType[]
  readonly prompts?: readonly Prompt[]
}

/** Something that the user did not ask for. */
export interface Notice {
  readonly id: number
  /** A sentence. */
  readonly title: string
  readonly text: string
  /** Folded out by Show. */
  readonly change?: ListChange
}

export const describeState = ({ status, revision }: ConnectionState): string =>
  ({
    connecting: 'Connecting…',
    connected: `Connected, ${revision ?? ''}`,
    reconnecting: 'Connection lost. Reconnecting…',
    failed: 'Not connected',
  })[status]
