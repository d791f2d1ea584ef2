// Removes from foreign text what a client that shows Markdown would fetch by itself. Such a request
// tells the owner of the address who reads, and any data that a model was made to put into it.

/** Characters that are later removed from results, so they must not stand between "!" and "[". Not those that end a line. */
const UNSEEN = /[[\p{Cc}\p{Cf}]--[\t-\r\u0085\u200c\u200d]]/gv
const ESCAPE_SEQUENCES = /(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]/g

const IMAGE = /!(?=\[)/g
/** In code, "![" is seldom an image, and only with an address or a reference is it one. */
const WHOLE_IMAGE = /!(?=\[[^\]\n]{0,200}\][([])/g
const DEFINITION = /^[ \t>]*\[[^\]\n]{1,1000}\]:/m

/** Tags that fetch something, or whose attributes do. */
const FETCHING_TAG =
  /<(?=(?:base|embed|frame|iframe|image|img|input|link|meta|object|script|source|style|svg|track|use|video)\b|[a-z][^<>]*\b(?:background|data|poster|src|srcset|style)\s*=)/gi

/** Adds a space after the "!" of each image, which leaves a link, and the "<" of fetching tags. */
export function withoutImages(text: string): string {
  const seen = text.replace(ESCAPE_SEQUENCES, '').replace(UNSEEN, '')
  return withoutTags(seen.replace(IMAGE, '! '))
}

export const withoutTags = (text: string): string => text.replace(FETCHING_TAG, '< ')

/** The same for text that is no prose, such as a program: changes only what can be an image. */
export function withoutImagesInCode(text: string): string {
  return text.replace(DEFINITION.test(text) ? IMAGE : WHOLE_IMAGE, '! ')
}

/** Formats an address so that its brackets cannot end a link and begin an image. */
export function toText(url: URL): string {
  const rest = url.pathname + url.search + url.hash
  return url.href.slice(0, url.href.length - rest.length) + rest.replaceAll('[', '%5B').replaceAll(']', '%5D')
}
