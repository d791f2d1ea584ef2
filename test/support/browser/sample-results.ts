// One result of each kind that a tool may return.
import { crc32, deflateSync } from 'node:zlib'

/** A square of one colour. */
function png(size: number, [red, green, blue]: readonly [number, number, number]): string {
  const row = Buffer.from([0, ...Array.from({ length: size }, () => [red, green, blue]).flat()])
  const header = Buffer.alloc(13)
  header.writeUInt32BE(size, 0)
  header.writeUInt32BE(size, 4)
  header.set([8, 2], 8)
  const chunks = [
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(Buffer.concat(Array.from({ length: size }, () => row)))),
    chunk('IEND', Buffer.alloc(0)),
  ]
  return Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), ...chunks]).toString('base64')
}

function chunk(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type), data])
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  sum.writeUInt32BE(crc32(named))
  return Buffer.concat([length, named, sum])
}

/** A tenth of a second of silence. */
function wav(): string {
  const samples = Buffer.alloc(800, 128)
  const header = Buffer.alloc(44)
  header.write('RIFF', 0)
  header.writeUInt32LE(36 + samples.length, 4)
  header.write('WAVEfmt ', 8)
  header.writeUInt32LE(16, 16)
  header.writeUInt16LE(1, 20)
  header.writeUInt16LE(1, 22)
  header.writeUInt32LE(8000, 24)
  header.writeUInt32LE(8000, 28)
  header.writeUInt16LE(1, 32)
  header.writeUInt16LE(8, 34)
  header.write('data', 36)
  header.writeUInt32LE(samples.length, 40)
  return Buffer.concat([header, samples]).toString('base64')
}

const SVG = `<svg xmlns="http://www.w3.org/2000/svg" width="60" height="60"><circle cx="30" cy="30" r="28" fill="teal"/></svg>`

export const PICTURE = { type: 'image', mimeType: 'image/png', data: png(48, [11, 87, 196]) } as const
const DRAWING = {
  type: 'image',
  mimeType: 'image/svg+xml',
  data: Buffer.from(SVG).toString('base64'),
} as const
const SOUND = { type: 'audio', mimeType: 'audio/wav', data: wav() } as const
export const FILE = {
  type: 'resource',
  resource: { uri: 'file:///reports/may.csv', mimeType: 'text/csv', text: 'sku,price\nABC-1234,9.5\n' },
} as const
export const LINK = {
  type: 'resource_link',
  name: 'manual',
  title: 'The manual',
  uri: 'https://example.org/manual?page=1',
  description: 'How to use it',
  mimeType: 'text/html',
  size: 1234,
} as const

export const PRICES = [
  { sku: 'ABC-1234', price: 9.5, isInStock: true },
  { sku: 'XYZ-9', price: 120, isInStock: false },
]

export const ORDER = { id: 7, lines: [{ sku: 'ABC-1234', options: { colour: 'red', size: null } }], note: 'Fast' }

export const ALL_KINDS = {
  content: [
    { type: 'text', text: 'A text\nof two lines, with \x1b[1mANSI\x1b[0m' },
    { type: 'text', text: JSON.stringify(ORDER) },
    PICTURE,
    DRAWING,
    SOUND,
    FILE,
    LINK,
    { type: 'hologram', depth: 3 },
  ],
  structuredContent: { prices: PRICES },
  _meta: { 'example.org/cost': 3 },
}
