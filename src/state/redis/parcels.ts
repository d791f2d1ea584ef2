// What one replica hands to another. It is put down for a moment, and told of over the bus: who takes it away has it, the
// other replica or the one that gave up waiting. So what was refused here is not done there later.
import { randomUUID } from 'node:crypto'
import { McpError } from '../../protocol/errors.ts'
import { isObject, type JsonObject } from '../../protocol/messages.ts'
import { spreadRetry } from '../../retry.ts'
import type { Peers } from '../peers.ts'
import type { RedisBus } from './bus.ts'
import { readable, unwrap, wrap } from './envelope.ts'
import { type RedisLink, unavailable } from './link.ts'
import { LateAnswer, within } from './within.ts'

/** How long the other replica may be busy before it takes one. */
const WAIT_MS = 1000
/** How long one is there whose sender has died. */
const KEPT_MS = 2 * WAIT_MS
/** Most that one replica has on its way to the others. */
export const MAX_PARCELS = 256
/** Bytes of all of them. */
export const MAX_PARCELS_SIZE = 16 * 1024 * 1024

const NAME = /^[\w-]{16}$/

type Take = (parcel: JsonObject) => Promise<JsonObject>

export function redisParcels(link: RedisLink, bus: RedisBus): Pick<Peers, 'hand' | 'onHanded'> {
  const waiting = new Map<string, (answer: JsonObject) => void>()
  let size = 0
  let takeOne: Take | undefined
  const keyOf = (id: string) => link.key('parcel', id)
  const topicOf = (name: string) => `replica:${name}`

  bus.on(topicOf(link.name), message => {
    if (!isObject(message) || typeof message['id'] !== 'string') return
    const { id, from, answer } = message
    if (isObject(answer)) waiting.get(id)?.(answer)
    else if (typeof from === 'string' && NAME.test(from)) take(id, from).catch(() => {})
  })

  async function take(id: string, from: string): Promise<void> {
    if (takeOne === undefined) return
    const parcel = unwrap(await readable(link.run(client => client.getdel(keyOf(id)))))
    if (parcel !== undefined) bus.say(topicOf(from), { id, answer: await takeOne(parcel) })
  }

  /** @returns whether anybody heard of it */
  async function put(id: string, name: string, text: string): Promise<boolean> {
    const notice = JSON.stringify({ id, from: link.name })
    const [, heard] = await link.run(client =>
      Promise.all([client.set(keyOf(id), text, 'PX', KEPT_MS), client.publish(bus.channel(topicOf(name)), notice)]),
    )
    return heard > 0
  }

  /** @returns whether nobody has taken it */
  const takeBack = async (id: string) => (await link.run(client => client.del(keyOf(id)))) === 1

  async function send(id: string, name: string, text: string): Promise<JsonObject | undefined> {
    const answered = new Promise<JsonObject>(resolve => waiting.set(id, resolve))
    if (!(await put(id, name, text))) {
      await takeBack(id)
      // It may just be subscribing again.
      if (await link.isThere(name)) throw unavailable()
      return undefined
    }
    try {
      return await within(answered, WAIT_MS)
    } catch (late) {
      if (await takeBack(id)) throw unavailable(late)
      return await within(answered, WAIT_MS)
    }
  }

  return {
    async hand(name, parcel) {
      if (!NAME.test(name)) return undefined
      const text = wrap(parcel)
      const bytes = Buffer.byteLength(text)
      if (waiting.size >= MAX_PARCELS || size + bytes > MAX_PARCELS_SIZE)
        throw new McpError('BUSY', 'too much is on its way to other replicas; retry', { retryAfterS: spreadRetry(2) })
      const id = randomUUID()
      size += bytes
      try {
        return await send(id, name, text)
      } catch (error) {
        throw error instanceof LateAnswer ? unavailable(error) : error
      } finally {
        size -= bytes
        waiting.delete(id)
      }
    },
    onHanded(listener) {
      takeOne = listener
    },
  }
}
