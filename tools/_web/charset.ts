// Decodes bytes to text. The encoding comes, as in the HTML standard, from the byte order mark, the
// header, or the document itself; the default is UTF-8.

const SAYS_OF_ITSELF = /<meta[^>]{1,500}?charset\s*=\s*["']?([\w.:-]+)|<\?xml[^>]{1,200}?encoding\s*=\s*["']([\w.:-]+)/i
const LOOKED_AT_BYTES = 1024

/** @param contentType the header; '' if there is none */
export function decode(bytes: Buffer, contentType: string): string {
  const label = markOf(bytes) ?? /charset\s*=\s*["']?([\w.:-]+)/i.exec(contentType)?.[1] ?? ownWord(bytes)
  return decoderOf(label ?? 'utf-8').decode(bytes)
}

function markOf(bytes: Buffer): string | undefined {
  if (bytes.subarray(0, 3).equals(Buffer.from([0xef, 0xbb, 0xbf]))) return 'utf-8'
  if (bytes.subarray(0, 2).equals(Buffer.from([0xfe, 0xff]))) return 'utf-16be'
  return bytes.subarray(0, 2).equals(Buffer.from([0xff, 0xfe])) ? 'utf-16le' : undefined
}

function ownWord(bytes: Buffer): string | undefined {
  const [, meta, xml] = SAYS_OF_ITSELF.exec(bytes.subarray(0, LOOKED_AT_BYTES).toString('latin1')) ?? []
  const label = meta ?? xml
  // If this label could be read as ASCII, the document is not UTF-16.
  return label !== undefined && /^utf-?16/i.test(label) ? 'utf-8' : label
}

function decoderOf(label: string): InstanceType<typeof TextDecoder> {
  try {
    return new TextDecoder(label)
  } catch {
    return new TextDecoder()
  }
}
