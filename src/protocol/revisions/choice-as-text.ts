// A multiple choice as one line of text, for clients whose forms lack it, and back.
import { isObject, type JsonObject } from '../messages.ts'

interface Choice {
  readonly value: string
  readonly title: string
}

export const isChoiceOfSeveral = ({ type }: JsonObject): boolean => type === 'array'

/** The text field that replaces a multiple choice; its description lists the choices. */
export function asTextField({ title, description, items, minItems }: JsonObject): JsonObject {
  const choices = readChoices(items)
  const named = choices.map(({ value, title }) => (title === value ? value : `${value} (${title})`))
  const mark = pickSeparator(choices)
  const hint = `Several of these, with "${mark}" between them: ${named.join(`${mark} `)}`
  return {
    type: 'string',
    ...(title !== undefined && { title }),
    description: description === undefined ? hint : `${description}. ${hint}`,
    ...(Number(minItems) > 0 && { minLength: 1 }),
  }
}

/** Unknown values stay, so that validation rejects them as in any other response. */
export function parseChosen({ items }: JsonObject, text: string): string[] {
  const choices = readChoices(items)
  const written = text.split(pickSeparator(choices)).map(part => part.trim())
  return written
    .filter(part => part !== '')
    .map(part => choices.find(({ value, title }) => part === value || part === title)?.value ?? part)
}

function readChoices(items: unknown): Choice[] {
  if (!isObject(items)) return []
  const { enum: values, anyOf: titled } = items
  if (Array.isArray(values)) return values.map(value => ({ value: String(value), title: String(value) }))
  if (!Array.isArray(titled)) return []
  return titled.map(({ const: value, title }) => ({ value: String(value), title: String(title ?? value) }))
}

const pickSeparator = (choices: Choice[]) =>
  choices.some(({ value, title }) => value.includes(',') || title.includes(',')) ? ';' : ','
