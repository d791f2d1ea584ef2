// The arguments in the form of each tool. The text is sent; the form and the code follow it. They
// survive a reload of the page if the user is the same.
import type { Tool } from '@modelcontextprotocol/client'
import type { JsonObject } from '../client/json-rpc.ts'
import { Store } from '../client/store.ts'
import { useStore } from '../client/use-store.ts'
import { formatJson, parseArguments } from '../form/json-text.ts'
import { createArguments } from '../form/model.ts'
import { useConsole } from '../shell/context.ts'

export interface Draft {
  /** The written text. */
  readonly text: string
  /** The parsed arguments; undefined if the text is invalid. */
  readonly args: JsonObject | undefined
  /** Why it is invalid. */
  readonly fault?: string
  /** The last valid arguments, which the form shows. */
  readonly last: JsonObject
}

/** Longer texts do not survive a reload. */
const MAX_KEPT_CHARACTERS = 200_000

type DraftStorage = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>

interface Open {
  readonly draft: Store<Draft>
  /** The text of an untouched form, which follows the schema. */
  readonly untouched: string
}

export class Drafts {
  readonly #open = new Map<string, Open>()
  readonly #storage: DraftStorage | undefined
  readonly #endpoint: string

  /** @param storage without it, drafts live as long as the page */
  constructor(storage: DraftStorage | undefined, endpoint: string) {
    this.#storage = storage
    this.#endpoint = endpoint
  }

  /** Starts with the text from before, else with an untouched form. */
  find(tool: Tool): Store<Draft> {
    const known = this.#open.get(tool.name)
    if (known !== undefined && known.draft.get().text !== known.untouched) return known.draft
    const untouched = formatJson(createArguments(tool.inputSchema))
    if (known?.untouched === untouched) return known.draft
    const kept = known === undefined ? this.#storage?.getItem(this.#toKey(tool)) : undefined
    const made = { draft: new Store(toDraft(kept ?? untouched, {})), untouched }
    this.#open.set(tool.name, made)
    return made.draft
  }

  /** Takes the JSON that the user types. */
  write(tool: Tool, text: string): void {
    this.find(tool).update(({ last }) => toDraft(text, last))
    this.#keep(tool)
  }

  /** Takes the arguments of the form, or of an earlier call. */
  fill(tool: Tool, args: JsonObject): void {
    this.find(tool).set({ text: formatJson(args), args, last: args })
    this.#keep(tool)
  }

  /** Back to an untouched form. */
  clear(tool: Tool): void {
    this.fill(tool, createArguments(tool.inputSchema))
  }

  /** The user has signed out. Open forms start anew. */
  forget(): void {
    for (const [name, { draft, untouched }] of this.#open) {
      this.#storage?.removeItem(this.#toKey({ name }))
      draft.set(toDraft(untouched, {}))
    }
  }

  /** Two servers on one origin do not share arguments. */
  #toKey({ name }: Pick<Tool, 'name'>): string {
    return `toolrack:arguments:${this.#endpoint}:${name}`
  }

  #keep(tool: Tool): void {
    const { text } = this.find(tool).get()
    this.#storage?.removeItem(this.#toKey(tool))
    if (text.length > MAX_KEPT_CHARACTERS || text === this.#open.get(tool.name)?.untouched) return
    try {
      this.#storage?.setItem(this.#toKey(tool), text)
    } catch {
      // The storage is full, so the draft lives as long as the page.
    }
  }
}

function toDraft(text: string, last: JsonObject): Draft {
  const parsed = parseArguments(text)
  return 'value' in parsed
    ? { text, args: parsed.value, last: parsed.value }
    : { text, args: undefined, fault: parsed.fault, last }
}

/** Renders again when the arguments of a tool change. */
export function useDraft(tool: Tool): Draft {
  const { drafts } = useConsole()
  return useStore(drafts.find(tool))
}
