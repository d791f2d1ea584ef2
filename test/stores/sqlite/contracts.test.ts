// Every promise of each store, kept in a file.
import t from 'tap'
import { eventsSuite } from '../../../packages/state/suites/events.ts'
import { filesSuite } from '../../../packages/state/suites/files.ts'
import { keptResultsSuite } from '../../../packages/state/suites/kept-results.ts'
import { type MakeSessions, sessionsSuite } from '../../../packages/state/suites/sessions.ts'
import { roomSuite } from '../../../packages/state/suites/sessions-room.ts'
import { spentSuite } from '../../../packages/state/suites/spent.ts'
import { taskQueueSuite } from '../../../packages/state/suites/task-queue.ts'
import { tasksSuite } from '../../../packages/state/suites/tasks.ts'
import { SqliteEvents } from '../../../src/state/sqlite/events.ts'
import { SqliteFiles } from '../../../src/state/sqlite/files.ts'
import { SqliteKeptResults } from '../../../src/state/sqlite/kept-results.ts'
import { SqliteSessions } from '../../../src/state/sqlite/sessions.ts'
import { SqliteTaskQueue } from '../../../src/state/sqlite/task-queue.ts'
import { SqliteTasks } from '../../../src/state/sqlite/tasks.ts'
import { SqliteUsedTokens } from '../../../src/state/sqlite/used-tokens.ts'
import { toSuite } from '../../support/suite.ts'
import { opened } from './a-file.ts'

const makeSessions: MakeSessions = (t, bounds) => opened(t, file => new SqliteSessions(file, bounds)).store

sessionsSuite(toSuite(t), 'sessions in a file', makeSessions)
roomSuite(toSuite(t), 'sessions in a file', makeSessions)
eventsSuite(toSuite(t), 'events in a file', (t, bounds) => opened(t, file => new SqliteEvents(file, bounds)).store)
filesSuite(toSuite(t), 'files in a file', t => [opened(t, file => new SqliteFiles(file)).store])
keptResultsSuite(toSuite(t), 'kept in a file', t => [opened(t, file => new SqliteKeptResults(file)).store])
spentSuite(toSuite(t), 'spent in a file', t => opened(t, file => new SqliteUsedTokens(file)).store)
tasksSuite(toSuite(t), 'tasks in a file', (t, bounds) => opened(t, file => new SqliteTasks(file, bounds)).store)
taskQueueSuite(toSuite(t), 'queue in a file', (t, bounds) => opened(t, file => new SqliteTaskQueue(file, bounds)).store)
