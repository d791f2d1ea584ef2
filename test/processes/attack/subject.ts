// One of many subjects: what it calls, and what it expects to hear. Whatever it hears must be its own.
import { request } from '../../support/app.ts'
import { random } from '../../support/security/mutants.ts'
import { callOf, handshake } from '../../support/security/sessions.ts'
import { type Answered, ask, type Message, type Target } from './target.ts'

export interface Tally {
  /** Calls by what they were. */
  readonly made: Record<string, number>
  /** Messages with something of another subject in them. */
  crossed: number
  wrong: number
  /** Sealed state of another subject that was refused, as it should be. */
  refused: number
  readonly faults: string[]
}

export interface Subject {
  readonly name: string
  /** Sealed for this subject; undefined until it was asked something. */
  state: string | undefined
  /** One call, or several that belong together. @returns how many */
  step(id: number, neighbour: Subject): Promise<number>
}

interface Who {
  readonly name: string
  readonly scope: string
  readonly headers: Record<string, string>
}

const JSON_HEADERS = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
const ELICITS = { elicitation: {} }
const MARKS = /sub-\d+-[0-9a-z]+/g
const MAX_WAIT_MS = 20

export async function openSubject(target: Target, tally: Tally, who: Who): Promise<Subject> {
  const opened = await ask(target, {
    headers: { ...JSON_HEADERS, ...who.headers },
    body: JSON.stringify(handshake(undefined, ELICITS)),
  })
  const session = opened.headers['mcp-session-id']
  if (typeof session !== 'string') throw new Error(`no session: ${opened.status} ${opened.text}`)
  return new Caller(target, tally, { ...who, session })
}

class Caller implements Subject {
  readonly name: string
  state: string | undefined
  readonly #target: Target
  readonly #tally: Tally
  readonly #who: Who & { readonly session: string }
  #legacyId = 0

  constructor(target: Target, tally: Tally, who: Who & { readonly session: string }) {
    this.name = who.name
    this.#target = target
    this.#tally = tally
    this.#who = who
  }

  async step(id: number, neighbour: Subject): Promise<number> {
    const chance = random(100)
    if (chance < 10) return this.#onBehalf(id)
    if (chance < 40) return this.#whose(id, {})
    if (chance < 50) return this.#whose(id, { progressToken: 1 })
    if (chance < 75) return this.#whoseInSession({})
    if (chance < 83) return this.#whoseInSession({ progressToken: 1 })
    if (chance < 88) return this.#asked(id, neighbour)
    if (chance < 93) return this.#askedInSession()
    return this.#lists(id)
  }

  async #whose(id: number, meta: object): Promise<number> {
    const args = { mark: this.name, waitMs: random(4) === 0 ? random(MAX_WAIT_MS) : 0 }
    const answer = await this.#modern(id, 'tools/call', { name: 'whose', arguments: args }, meta)
    this.#expect(answer, { id, text: `${this.name} ${this.name}`, kind: 'modern calls' })
    return 1
  }

  /** Gets a token for another service: the tool says whom it names. */
  async #onBehalf(id: number): Promise<number> {
    const answer = await this.#modern(id, 'tools/call', { name: 'behalf', arguments: {} })
    this.#expect(answer, { id, text: this.name, kind: 'on behalf' })
    return 1
  }

  async #whoseInSession(_meta: object): Promise<number> {
    const id = ++this.#legacyId
    const args = { mark: this.name, waitMs: random(4) === 0 ? random(MAX_WAIT_MS) : 0 }
    const asked = callOf('whose', args, id)
    const answer = await this.#post({ ...asked, params: { ...asked.params, _meta } })
    this.#expect(answer, { id, text: `${this.name} ${this.name}`, kind: 'calls in sessions' })
    return 1
  }

  /** Asked, tried with what was sealed for another, answered. */
  async #asked(id: number, neighbour: Subject): Promise<number> {
    const params = { name: 'asks', arguments: { mark: this.name } }
    const inputResponses = { k: { action: 'accept', content: { word: this.name } } }
    const first = lastOf(await this.#modern(id, 'tools/call', params))
    const question = first?.result?.inputRequests?.k?.params?.message
    if (question !== `${this.name} ${this.name}`) this.#fault('wrong', 'a question', first)
    const requestState = first?.result?.requestState
    this.state = requestState
    let count = 2
    if (neighbour.state !== undefined) {
      const stolen = { ...params, arguments: { mark: neighbour.name }, requestState: neighbour.state, inputResponses }
      // Names the neighbour itself, so what is looked at is only that it is refused.
      const { text } = await this.#send(request('tools/call', stolen, { id, capabilities: ELICITS }))
      if (/"code":-32602,"message":"Invalid requestState: it was given to someone else/.test(text))
        this.#tally.refused++
      else this.#fault('crossed', "took another subject's state", text)
      count++
    }
    const last = await this.#modern(id, 'tools/call', { ...params, requestState, inputResponses })
    this.#expect(last, { id, text: `${this.name} ${this.name} {"word":"${this.name}"}`, kind: 'modern questions' })
    return count
  }

  async #askedInSession(): Promise<number> {
    const id = ++this.#legacyId
    const replies: Promise<unknown>[] = []
    const onMessage = (message: Message) => {
      if (message.method !== 'elicitation/create') return
      if (message.params.message !== `${this.name} ${this.name}`) this.#fault('crossed', 'a question', message)
      const result = { action: 'accept', content: { word: this.name } }
      replies.push(this.#post({ jsonrpc: '2.0', id: message.id, result }))
    }
    const answer = await this.#post(callOf('asks', { mark: this.name }, id), onMessage)
    await Promise.all(replies)
    const text = `${this.name} ${this.name} {"word":"${this.name}"}`
    this.#expect(answer, { id, text, kind: 'questions in sessions' })
    return 2
  }

  async #lists(id: number): Promise<number> {
    const modern = lastOf(await this.#modern(id, 'tools/list', {}))
    const legacyId = ++this.#legacyId
    const legacy = lastOf(await this.#post({ jsonrpc: '2.0', id: legacyId, method: 'tools/list', params: {} }))
    for (const { result } of [modern, legacy]) {
      const names = result?.tools
        .map(({ name }: { name: string }) => name)
        .filter((name: string) => name.startsWith('of_'))
      if (String(names) !== `of_${this.#who.scope}`) this.#fault('crossed', 'a list of other scopes', names)
    }
    this.#tally.made['lists'] = (this.#tally.made['lists'] ?? 0) + 2
    return 2
  }

  #modern(id: number, method: string, params: Record<string, unknown>, meta: object = {}): Promise<Answered> {
    return this.#send(request(method, params, { id, meta, capabilities: ELICITS })).then(answer => this.#own(answer))
  }

  #send({ message, headers }: ReturnType<typeof request>): Promise<Answered> {
    return ask(this.#target, { headers: { ...headers, ...this.#who.headers }, body: JSON.stringify(message) })
  }

  async #post(body: object, onMessage: (message: Message) => void = () => {}): Promise<Answered> {
    const headers = { ...JSON_HEADERS, ...this.#who.headers, 'mcp-session-id': this.#who.session }
    return this.#own(await ask(this.#target, { headers, body: JSON.stringify(body), onMessage }))
  }

  /** Whatever was heard names nobody else. */
  #own(answer: Answered): Answered {
    const others = [...answer.text.matchAll(MARKS)].filter(([mark]) => mark !== this.name)
    if (others.length > 0) this.#fault('crossed', `named ${others[0]}`, answer.text)
    return answer
  }

  #expect(answer: Answered, { id, text, kind }: { id: number; text: string; kind: string }): void {
    this.#tally.made[kind] = (this.#tally.made[kind] ?? 0) + 1
    const last = lastOf(answer)
    if (last?.id !== id || last.result?.content?.[0]?.text !== text) this.#fault('wrong', kind, answer)
  }

  #fault(kind: 'crossed' | 'wrong', what: string, got: unknown): void {
    this.#tally[kind]++
    if (this.#tally.faults.length < 10) {
      this.#tally.faults.push(`${this.name}: ${kind}: ${what}: ${JSON.stringify(got)?.slice(0, 400)}`)
    }
  }
}

/** The answer among the messages. */
function lastOf({ text }: Answered): Message {
  const last = text.startsWith('{')
    ? text
    : text
        .split('\n')
        .findLast(line => /^data: ?\{/.test(line))
        ?.slice(5)
  try {
    return last === undefined ? undefined : JSON.parse(last)
  } catch {
    return undefined
  }
}
