// One example of each function that the package exports: docs/reference/exports.md shows them, and
// `npm run typecheck` compiles them. Nothing runs them.
import Fastify from 'fastify'
import {
  audio,
  createServer,
  definePrompt,
  defineResource,
  defineTool,
  embeddedResource,
  file,
  image,
  json,
  resourceLink,
  text,
  toolrack,
} from 'toolrack'
import { stdio } from 'toolrack/door'
import { redis } from 'toolrack/redis'
import { type DefinitionSource, folder, hide, pick, prefix, transform } from 'toolrack/source'
import { sqlite } from 'toolrack/sqlite'
import {
  alreadyStarted,
  assertStepFits,
  assertTaskFits,
  type ClaimRequest,
  clientTasksTooLarge,
  closeState,
  createSessionId,
  findStateProblem,
  findUnanswered,
  hasEnded,
  isVisibleChange,
  mayTakeOver,
  memory,
  parseJson,
  parseListVersions,
  parseObject,
  parseSessionRecord,
  parseTaskRecord,
  type Session,
  type State,
  type StoreContext,
  type StoredEvent,
  startState,
  type Task,
  testState,
  testStore,
  tooManyClientTasks,
  tooManySessions,
  tooManyTasks,
  toQueueKey,
  toSessionRecord,
  USAGE_BOUNDS,
  type UsageNow,
  type UsedTokens,
} from 'toolrack/state'
import {
  expectContract,
  findBreakingChanges,
  formatContract,
  parseContract,
  type TestTools,
  testTools,
} from 'toolrack/testing'

const app = Fastify()

declare const bytes: Uint8Array
declare const rows: readonly object[]
declare const crm: DefinitionSource
declare const tools: TestTools
declare const before: Task
declare const after: Task
declare const now: UsageNow
declare const own: State
declare const session: Session
declare const claim: ClaimRequest
declare const earlier: ClaimRequest
declare const context: StoreContext
declare const events: readonly StoredEvent[]
declare const kept: string
declare const createTokens: () => UsedTokens

export const EXAMPLES = {
  toolrack: {
    audio: () => audio(bytes, 'audio/wav'),
    createServer: () => createServer({ toolsDir: './tools' }),
    definePrompt: () => definePrompt({ name: 'review', handler: () => 'Review this.' }),
    defineResource: () => defineResource({ uri: 'docs://style', name: 'Style', handler: () => '# Style' }),
    defineTool: () => defineTool({ name: 'hello', handler: () => 'Hello' }),
    embeddedResource: () => embeddedResource({ uri: 'docs://style', text: '# Style' }),
    file: () => file(bytes, { name: 'report.pdf', mimeType: 'application/pdf' }),
    image: () => image(bytes, 'image/png'),
    json: () => json(rows),
    resourceLink: () => resourceLink({ uri: 'docs://style', name: 'Style' }),
    text: () => text('Hello'),
    toolrack: () => app.register(toolrack, { toolsDir: './tools' }),
  },
  'toolrack/testing': {
    expectContract: () => expectContract(tools, 'tools.contract.json'),
    findBreakingChanges: async () => findBreakingChanges(parseContract(kept, 'a.json'), await tools.contract()),
    formatContract: async () => formatContract(await tools.contract()),
    parseContract: () => parseContract(kept, 'tools.contract.json'),
    testTools: () => testTools('./tools'),
  },
  'toolrack/source': {
    folder: () => folder('./tools'),
    transform: () => transform(crm, prefix('crm_'), hide(['delete_*']), pick(['crm_*'])),
  },
  'toolrack/door': {
    stdio: () => createServer({ doors: [stdio()], toolsDir: './tools' }),
  },
  'toolrack/redis': {
    redis: () => redis({ url: 'redis://localhost:6379' }),
  },
  'toolrack/sqlite': {
    sqlite: () => sqlite({ path: './toolrack.db' }),
  },
  'toolrack/state': {
    alreadyStarted: () => alreadyStarted(),
    assertStepFits: () => assertStepFits(USAGE_BOUNDS, now, before, after),
    assertTaskFits: () => assertTaskFits(USAGE_BOUNDS, now, after),
    clientTasksTooLarge: () => clientTasksTooLarge(),
    closeState: () => closeState(own, context.log),
    createSessionId: () => createSessionId(),
    findStateProblem: () => findStateProblem(own),
    findUnanswered: () => findUnanswered(kept, events),
    hasEnded: () => hasEnded(after),
    isVisibleChange: () => isVisibleChange(before, after),
    mayTakeOver: () => mayTakeOver(claim, earlier),
    memory: () => memory(),
    parseJson: () => parseJson(kept),
    parseListVersions: () => parseListVersions(parseJson(kept)),
    parseObject: () => parseObject(kept),
    parseSessionRecord: () => parseSessionRecord(session.id, parseObject(kept)),
    parseTaskRecord: () => parseTaskRecord(before.id, parseObject(kept)),
    startState: () => startState(own, context),
    testState: () => testState('mine', () => own),
    testStore: () => testStore('usedTokens', 'mine', createTokens),
    toQueueKey: () => toQueueKey({ id: before.id, run: 1 }),
    toSessionRecord: () => toSessionRecord(session),
    tooManyClientTasks: () => tooManyClientTasks(),
    tooManySessions: () => tooManySessions(),
    tooManyTasks: () => tooManyTasks(),
  },
}
