// Turns a response into a page, or into an error that tells the model what to do instead.
import { ToolError } from 'toolrack'
import { decode } from '../_web/charset.ts'
import type { AnswerHead, WebAnswer } from '../_web/client.ts'
import { retryAfterS } from '../_web/retry-after.ts'
import { tidy } from '../_web/strip-tags.ts'
import { withoutImagesInCode, withoutTags } from '../_web/without-images.ts'
import { type Extract, extract } from './extract.ts'

export const ACCEPT = 'text/html, application/xhtml+xml, text/*;q=0.9, application/json;q=0.8, application/xml;q=0.8'

const CLOSED = new Set([401, 402, 403, 407, 451])
const HTML = /^(text\/html|application\/xhtml\+xml)$/
const TEXT = /^(text\/.+|application\/(json|xml|yaml|javascript|ld\+json)|[^/]+\/.+\+(json|xml))$/

/** In Markdown, tags fetch; in other plain text, tags are the content. */
const MAY_BE_MARKDOWN = /^text\/(plain|markdown|x-markdown)$/

/**
 * Media types for which the content is checked, as browsers do.
 * https://mimesniff.spec.whatwg.org/#binary-data-byte
 */
const PROMISES_LITTLE = /^(text\/plain\s*(;.*)?)?$/i
const BINARY = /[\0-\x08\x0b\x0e-\x1a\x1c-\x1f]/
const LOOKED_AT = 1445

/** The media type without parameters; `text/html` if there is none. */
export function mediaType({ header }: AnswerHead): string {
  return header('content-type').split(';')[0]!.trim().toLowerCase().slice(0, 100) || 'text/html'
}

/** @throws ToolError if the response is no page that can be read as text */
export function assertReadable(answer: AnswerHead): void {
  const { url, status, header } = answer
  if (status < 200 || status >= 300) throw refusal(url.host, status, header('retry-after'))
  const type = mediaType(answer)
  if (HTML.test(type) || TEXT.test(type)) return
  throw new ToolError(
    `This is ${JSON.stringify(type)}, and only HTML, text, JSON and XML are read. Look for a page that describes it.`,
  )
}

export async function readPage(answer: WebAnswer): Promise<Extract> {
  const contentType = answer.header('content-type')
  const text = decode(answer.body, contentType)
  if (PROMISES_LITTLE.test(contentType) && BINARY.test(text.slice(0, LOOKED_AT))) {
    throw new ToolError('This page is not text, but a file of another kind. Look for a page that describes it.')
  }
  const type = mediaType(answer)
  if (HTML.test(type)) return extract(text, answer.url)
  const shown = withoutImagesInCode(tidy(text))
  return { title: '', text: MAY_BE_MARKDOWN.test(type) ? withoutTags(shown) : shown }
}

function refusal(host: string, status: number, retryAfter: string): ToolError {
  const answered = `${host} answered HTTP ${status}.`
  if (status === 404 || status === 410) {
    return new ToolError(`${answered} The page is not there: check the address, or search for where it went.`)
  }
  if (status === 429 || status === 503) {
    const waitS = retryAfterS(retryAfter)
    const when = waitS === undefined ? 'in a few minutes' : `in ${waitS} s`
    return new ToolError(`${answered} It is too busy: try again ${when}, but only once.`)
  }
  if (status >= 500)
    return new ToolError(`${answered} It is failing: try again in a few minutes, or use another source.`)
  const because = CLOSED.has(status) ? 'The page is not open to everyone' : 'This is not a page'
  return new ToolError(`${answered} ${because}. Do not repeat this call; use another source.`)
}
