// One call, in all its rounds of questions.
import { CONFIRMATION_ARGUMENT, type ConfirmationSource, Confirmations } from '../input/confirmation.ts'
import type { JsonObject } from '../protocol/messages.ts'
import type { CallToolResult } from '../protocol/schemas/results.ts'
import type { Tool } from '../registry/tool.ts'
import type { Exchange } from '../request/exchange.ts'
import { getOwnArguments } from './arguments.ts'
import type { CallExecutor } from './executor.ts'
import type { KeyedRun } from './idempotency.ts'
import { failureResult } from './tool-failure.ts'

export class Call implements ConfirmationSource {
  readonly executor: CallExecutor
  readonly tool: Tool
  readonly exchange: Exchange
  readonly args: JsonObject
  /** Set if the call has an idempotency key. */
  readonly run: KeyedRun | undefined
  #confirmations: Confirmations | undefined

  constructor(executor: CallExecutor, tool: Tool, exchange: Exchange, run?: KeyedRun) {
    this.executor = executor
    this.tool = tool
    this.exchange = exchange
    this.args = getOwnArguments(tool, exchange)
    this.run = run
  }

  get confirmations(): Confirmations {
    const { executor, tool, exchange, args } = this
    return (this.#confirmations ??= new Confirmations({ ...executor, tool: tool.name, exchange, args }))
  }

  assertConfirmable(): void {
    const { tool, args } = this
    if (!tool.declared.has(CONFIRMATION_ARGUMENT)) return
    const { [CONFIRMATION_ARGUMENT]: _own, ...others } = args
    if (tool.input.isValid(others)) return
    throw new TypeError(
      `confirm: ${tool.name} requires an argument ${CONFIRMATION_ARGUMENT} of its own, ` +
        'where the server takes the consent of the user; give it another name',
    )
  }

  /** The refusal of a call whose handler needs a consent that the call lacks; else undefined. */
  get refusal(): CallToolResult | undefined {
    const text = this.#confirmations?.explain()
    // Not masked: the questions are for the user, and the mask would take the confirmation for a secret.
    return text === undefined ? undefined : failureResult(text)
  }
}
