// Objects that every view may use: the connection, and those that depend on it.
import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import type { CallRunner } from '../calls/call-runner.ts'
import type { ConsoleConfig } from '../client/config.ts'
import type { Connection } from '../client/connection.ts'
import type { SignIn } from '../sign-in/sign-in.ts'
import type { TaskList } from '../tasks/task-list.ts'
import type { Drafts } from '../tools/draft.ts'
import type { ViewState } from './view-state.ts'

export interface Console {
  readonly config: ConsoleConfig
  readonly connection: Connection
  readonly calls: CallRunner
  readonly tasks: TaskList
  readonly signIn: SignIn
  readonly drafts: Drafts
  readonly view: ViewState
}

export const ConsoleContext = createContext<Console | undefined>(undefined)

export function useConsole(): Console {
  const parts = useContext(ConsoleContext)
  if (parts === undefined) throw new Error('Outside of the console')
  return parts
}
