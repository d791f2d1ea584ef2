// Reads an event stream: its text as it comes, event by event.

export interface SseEvent {
  id?: string
  event?: string
  retry?: number
  data: string
}

export class SseReader {
  readonly comments: string[] = []
  #rest = ''

  /** @returns the events that are complete with this chunk */
  read(chunk: string): SseEvent[] {
    const blocks = (this.#rest + chunk).split('\n\n')
    this.#rest = blocks.pop()!
    return blocks.flatMap(block => this.#parse(block) ?? [])
  }

  /** @param block the lines between two blank ones @throws Error if a line is of no known field */
  #parse(block: string): SseEvent | undefined {
    const lines = block.split('\n').filter(line => line !== '')
    this.comments.push(...lines.filter(line => line.startsWith(':')))
    const fields = lines.filter(line => !line.startsWith(':'))
    if (fields.length === 0) return undefined
    const event: SseEvent = { data: '' }
    for (const line of fields) {
      const [, field, value] = /^(\w+): ?(.*)$/s.exec(line) ?? []
      if (field === 'data') event.data += value
      else if (field === 'retry') event.retry = Number(value)
      else if (field === 'id' || field === 'event') event[field] = value!
      else throw new Error(`not a line of an event: ${line}`)
    }
    return event
  }
}
