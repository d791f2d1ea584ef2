// Tests of tools: names, arguments and structured content are known.
import { type TestTools, testTools } from 'toolrack/testing'
import { assertType, type Equal } from './equal.js'
import jsonSchema, { plain } from './json-schema.js'
import prompt, { plain as hello } from './prompts.js'
import resources from './resources.js'
import { definitions } from './server.js'
import typebox from './typebox.js'
import zod from './zod.js'

export const tools = await testTools([zod, typebox, jsonSchema, plain, prompt, hello, ...resources])

// The day is a text on its way to the server; the count has a default.
export const result = await tools.call('order', { day: '2026-01-01' }, { caller: { subject: 'ann' } })
assertType<Equal<typeof result.structuredContent, { at: string; unit: string }>>()
await tools.call('typebox', { id: '1', unit: 'kg', confirmation: 'a sealed text' })
await tools.call('json_schema', { anything: 1 })
await tools.call('plain')
await tools.getPrompt('review', { code: 'x' })
await tools.getPrompt('hello')
await tools.readResource('users://1')

// @ts-expect-error: no such tool
await tools.call('oder', { day: '2026-01-01' })
// @ts-expect-error: an argument is missing
await tools.call('order', {})
// @ts-expect-error: arguments are missing
await tools.call('order')
// @ts-expect-error: not an argument
await tools.call('order', { day: '2026-01-01', cuont: 1 })
// @ts-expect-error: the count is a number
await tools.call('order', { day: '2026-01-01', count: 'two' })
// @ts-expect-error: no such prompt
await tools.getPrompt('reviev', { code: 'x' })
// @ts-expect-error: an argument is missing
await tools.getPrompt('review', { language: 'go' })

// What a folder has is not known, nor what a list of any definitions has.
export const folder: TestTools = await testTools('./tools')
export const { structuredContent } = await folder.call('anything', { a: 1 })
export const some = await testTools(definitions)
await some.call('anything', { a: 1 })
await some.getPrompt('anything', { a: 'x' })

// What is known fits where anything is taken.
export let later: TestTools = tools
later = folder
export let orders: TestTools<typeof zod> = await testTools(zod)
orders = await testTools(zod, { clock: 'fake' })
export const { clock } = orders
