// A tool for each kind of state that a call can need.
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { defineTool } from '../../../src/index.ts'

/** Calls of `limited` that one client has. */
export const LIMIT = 5

const form = {
  message: 'Your name?',
  requestedSchema: { type: 'object' as const, properties: { name: { type: 'string' } } },
}

const coming = defineTool({ name: 'coming', handler: () => 'here' })

export const faultTools = ({ toolrack }: FastifyInstance) => [
  defineTool({ name: 'echo', inputSchema: { type: 'object' }, handler: args => JSON.stringify(args) }),
  defineTool({ name: 'limited', rateLimit: { max: LIMIT, timeWindow: 60_000 }, handler: () => 'passed' }),
  // What its client brings back counts once.
  defineTool({
    name: 'asker',
    handler: async (_args, { elicit }) => `Hello, ${(await elicit('name', form)).content?.['name']}`,
  }),
  // What is asked in the first turn is asked before there is a task.
  defineTool({
    name: 'asking_job',
    task: 'optional',
    async handler(_args, { elicit }) {
      await sleep(50)
      return `Hello, ${(await elicit('name', form)).content?.['name']}`
    },
  }),
  defineTool({ name: 'job', task: 'optional', handler: () => sleep(5, 'done') }),
  defineTool({
    name: 'change',
    handler() {
      if (!toolrack.remove(coming)) toolrack.add(coming)
      return 'changed'
    },
  }),
]
