// Revision 2026-07-28: stateless, metadata on every request. The server's own language within.
import type { Askable, Revision } from './revision.ts'

export const revision20260728: Revision = Object.freeze<Revision>({
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
  mirrorsParams: true,
  namesServer: true,
  refusesInvalidArguments: false,
  takesBatches: false,
  primesStreams: false,
  hasProgressMessages: true,
  askable: new Set<Askable>(['roots', 'sampling', 'sampling.tools', 'elicitation.form', 'elicitation.url']),
  errors: {},
  shape: (_method, result) => result,
  shapeError: error => error,
  shapeQuestion: question => question,
  readAnswer: (_question, answer) => answer,
})
