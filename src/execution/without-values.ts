// Messages of schema libraries, without the parts that they quote of a refused value.

const REDACTED = '[value]'
/** Shorter texts and numbers are harmless, and also occur within other words. */
const MIN_LENGTH = 3
/** Libraries cut long texts. A text that begins like a value counts as that value. */
const PREFIX_LENGTH = 16
/** Values that are searched for. */
const MAX_VALUES = 1000

/** @returns undefined if the value has too many parts to look for */
export function withoutValues(messages: readonly string[], value: unknown): string[] | undefined {
  const texts = new Set<string>()
  let left = MAX_VALUES
  const collect = (part: unknown): void => {
    if (left-- <= 0) return
    if (typeof part === 'object' && part !== null) Object.values(part).forEach(collect)
    // A message may contain it as JSON.
    else if (typeof part === 'string') texts.add(part).add(JSON.stringify(part).slice(1, -1))
    else if (typeof part === 'number' || typeof part === 'bigint') texts.add(String(part))
  }
  collect(value)
  if (left < 0) return undefined
  const longestFirst = [...texts].filter(text => text.length >= MIN_LENGTH).sort((a, b) => b.length - a.length)
  return messages.map(message => longestFirst.reduce(redact, message))
}

function redact(message: string, text: string): string {
  const isLong = text.length >= PREFIX_LENGTH
  const start = isLong ? text.slice(0, PREFIX_LENGTH) : text
  let redacted = ''
  let from = 0
  for (let at = message.indexOf(start); at >= 0; at = message.indexOf(start, from)) {
    let end = at + start.length
    while (end - at < text.length && message[end] === text[end - at]) end++
    const isPart = !isLong && (isWordCharacter(message[at - 1]) || isWordCharacter(message[end]))
    redacted += message.slice(from, at) + (isPart ? message.slice(at, end) : REDACTED)
    from = end
  }
  return redacted + message.slice(from)
}

const isWordCharacter = (character: string | undefined) => character !== undefined && /[\p{L}\p{N}]/u.test(character)
