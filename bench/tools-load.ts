// Sends the calls of bench/tools.ts from a process of its own, so that what they cost here is left out.
import { Agent, request } from 'node:http'
import type { Call } from './modern-call.ts'

interface Order {
  readonly url: string
  readonly call: Call
  readonly seconds: number
}

const CONNECTIONS = 8
/** Then calls come from another address: some tools take only 20 calls a minute from one. */
const CALLS_OF_ADDRESS = 10

const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS })

process.on('disconnect', () => process.exit())
process.on('message', (order: Order) => {
  callAll(order).then(
    count => process.send!({ count }),
    error => process.send!({ fault: (error as Error).message }),
  )
})

async function callAll({ url, call, seconds }: Order): Promise<number> {
  const untilMs = performance.now() + seconds * 1000
  let count = 0
  let sent = 0
  const callInTurn = async () => {
    do {
      const text = await send(url, call, (sent += 1))
      if (!text.includes('"result"') || text.includes('"isError":true')) throw new Error(text.slice(0, 300))
      count++
    } while (performance.now() < untilMs)
  }
  await Promise.all(Array.from({ length: seconds === 0 ? 1 : CONNECTIONS }, callInTurn))
  return count
}

const toAddress = (at: number) => `10.${[16, 8, 0].map(bits => (at >> bits) & 255).join('.')}`

function send(url: string, { headers, body }: Call, at: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const more = {
      'content-length': Buffer.byteLength(body),
      'x-forwarded-for': toAddress(Math.floor(at / CALLS_OF_ADDRESS)),
    }
    const sent = request(url, { method: 'POST', agent, headers: { ...headers, ...more } })
    sent.on('error', reject)
    sent.on('response', response => {
      let text = ''
      response.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk
      })
      response.on('end', () => resolve(text))
    })
    sent.end(body)
  })
}
