import { defineTool, ToolError, Type } from 'toolrack'

const MAX_BYTES = 700_000
const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])

export default defineTool({
  name: 'measure_image',
  description: 'Says how large a PNG image is. Give its URL, or the image itself in Base64.',
  inputSchema: Type.Object({
    url: Type.Optional(Type.String({ format: 'uri' })),
    image: Type.Optional(Type.String({ contentEncoding: 'base64', contentMediaType: 'image/png' })),
  }),
  outputSchema: Type.Object({ width: Type.Integer(), height: Type.Integer() }),
  annotations: { readOnlyHint: true },
  settings: ['IMAGE_HOSTS'],
  async handler({ url, image }, { signal }) {
    const bytes = image === undefined ? await download(url, signal) : Buffer.from(image, 'base64')
    if (bytes.length < 24 || !PNG.equals(bytes.subarray(0, 8))) throw new ToolError('This is not a PNG image.')
    return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) }
  },
})

async function download(url: string | undefined, signal: AbortSignal): Promise<Buffer> {
  if (url === undefined) throw new ToolError('Give url or image.')
  const hosts = (process.env['IMAGE_HOSTS'] ?? '').split(',')
  if (!hosts.includes(new URL(url).host)) throw new ToolError(`Only images of ${hosts.join(', ')} can be read.`)

  const response = await fetch(url, { signal, redirect: 'error' })
  if (!response.ok) throw new ToolError(`The URL answers ${response.status}.`)
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of response.body ?? []) {
    size += chunk.length
    if (size > MAX_BYTES) throw new ToolError(`The image has more than ${MAX_BYTES} bytes.`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
