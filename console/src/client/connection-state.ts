// The state of the connection and the lists of the server, as the views read them.
import type { Prompt, Resource, ResourceTemplateType, ServerCapabilities, Tool } from '@modelcontextprotocol/client'
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
  readonly problem?: Problem
}

/** `undefined` until it is loaded. */
export interface Lists {
  readonly tools?: readonly Tool[]
  readonly resources?: readonly Resource[]
  readonly templates?: readonly ResourceTemplateType[]
  readonly prompts?: readonly Prompt[]
}

export interface Notice {
  readonly id: number
  readonly text: string
}

export const describeState = ({ status, revision }: ConnectionState): string =>
  ({
    connecting: 'Connecting…',
    connected: `Connected, ${revision ?? ''}`,
    reconnecting: 'Connection lost. Reconnecting…',
    failed: 'Not connected',
  })[status]
