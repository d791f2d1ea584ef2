// Checks the URL of a page that a tool asks to open. Spec: client/elicitation, "Safe URL Handling".

/** Authorization servers make long URLs, with a request or a state of several KB. */
const MAX_LENGTH = 64_000

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/

export interface QuestionUrl {
  readonly href: string
  readonly host: string
  /** The parts of the URL before and after its host. */
  readonly before: string
  readonly after: string
  /** The host has letters outside of a to z, which may look like others. */
  readonly isForeign: boolean
}

/** @returns a fault if the URL cannot be opened */
export function parseQuestionUrl(text: string): QuestionUrl | { readonly fault: string } {
  if (text.length > MAX_LENGTH) return { fault: `The address is longer than ${MAX_LENGTH} characters.` }
  if (!URL.canParse(text)) return { fault: 'This is not an address.' }
  const { protocol, username, password, host, hostname, href } = new URL(text)
  const isSafe = protocol === 'https:' || (protocol === 'http:' && LOOPBACK.test(hostname))
  if (!isSafe) return { fault: 'Only addresses with https are opened.' }
  // Text before the @ looks like the host.
  if (username !== '' || password !== '') return { fault: 'The address has a user name before its host.' }
  // A short host may also occur in the protocol.
  const at = href.indexOf('//') + 2
  return {
    href,
    host,
    before: href.slice(0, at),
    after: href.slice(at + host.length),
    isForeign: hostname.split('.').some(label => label.startsWith('xn--')),
  }
}
