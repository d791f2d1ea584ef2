// Text of others that a client may show as Markdown: without anything that such a client would fetch by itself, since an
// address that is fetched unasked tells its owner who reads, and what a model was made to write into it.

/** What is taken out of a result later, so that it must not stand between "!" and "[" here. Joiners stay. */
const UNSEEN = /[[\p{Cc}\p{Cf}]--[\t\n\r\u200c\u200d]]/gv
const ESCAPE_SEQUENCES = /(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]/g

const IMAGE = /!(?=\[)/g
/** In code "![" is seldom an image, and without an address or the name of one it is none. */
const WHOLE_IMAGE = /!(?=\[[^\]\n]{0,200}\][([])/g
const DEFINITION = /^[ \t>]*\[[^\]\n]{1,1000}\]:/m

/** Tags that fetch, or whose attributes do. */
const FETCHING_TAG =
  /<(?=(?:base|embed|frame|iframe|image|img|input|link|meta|object|script|source|style|svg|track|use|video)\b|[a-z][^<>]*\b(?:background|data|poster|src|srcset|style)\s*=)/gi

/** Puts a space behind the "!" of each image, which leaves a link, and behind the "<" of each tag that fetches. */
export function withoutImages(text: string): string {
  const seen = text.replace(ESCAPE_SEQUENCES, '').replace(UNSEEN, '')
  return withoutTags(seen.replace(IMAGE, '! '))
}

export const withoutTags = (text: string): string => text.replace(FETCHING_TAG, '< ')

/** The same for a text that is no prose, such as a program: what cannot be an image stays as it is. */
export function withoutImagesInCode(text: string): string {
  return text.replace(DEFINITION.test(text) ? IMAGE : WHOLE_IMAGE, '! ')
}

/** An address as text, whose brackets cannot end a link and begin an image. */
export function toText(url: URL): string {
  const rest = url.pathname + url.search + url.hash
  return url.href.slice(0, url.href.length - rest.length) + rest.replaceAll('[', '%5B').replaceAll(']', '%5D')
}
