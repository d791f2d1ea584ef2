// Prompts, whose arguments are known by name.
import { definePrompt } from 'toolrack'
import { assertType, type Equal } from './equal.js'

export default definePrompt({
  name: 'review',
  arguments: [
    { name: 'code', required: true },
    { name: 'language', complete: value => ['typescript', 'go'].filter(each => each.startsWith(value)) },
  ],
  handler(args) {
    assertType<Equal<typeof args, { code: string; language?: string }>>()
    // @ts-expect-error: not an argument
    void args.cod
    return `Review this ${args.language ?? ''}:\n${args.code}`
  },
})

export const plain = definePrompt({ name: 'hello', handler: () => 'Say hello.' })

export const messages = definePrompt({
  name: 'messages',
  arguments: [{ name: 'code', required: true }],
  handler: ({ code }) => [{ role: 'user', content: { type: 'text', text: code } }],
})
