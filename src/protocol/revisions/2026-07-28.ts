// Revision 2026-07-28: stateless, metadata on every request. The server's own language within.
import type { Revision } from './revision.ts'

export const revision20260728: Revision = Object.freeze({
  version: '2026-07-28',
  era: 'modern',
  methods: new Set([
    'server/discover',
    'tools/list',
    'tools/call',
    'resources/list',
    'resources/templates/list',
    'resources/read',
    'prompts/list',
    'prompts/get',
    'completion/complete',
    'subscriptions/listen',
  ]),
  names: new Map([
    ['tools/call', 'name'],
    ['prompts/get', 'name'],
    ['resources/read', 'uri'],
  ]),
})
