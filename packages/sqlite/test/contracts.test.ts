// Every promise of each store, kept in a file.
import t from 'tap'
import { toSuite } from '../../../test/support/suite.ts'
import { eventsSuite } from '../../state/src/suites/events.ts'
import { filesSuite } from '../../state/src/suites/files.ts'
import { keptResultsSuite } from '../../state/src/suites/kept-results.ts'
import { type MakeSessions, sessionsSuite } from '../../state/src/suites/sessions.ts'
import { roomSuite } from '../../state/src/suites/sessions-room.ts'
import { spentSuite } from '../../state/src/suites/spent.ts'
import { taskQueueSuite } from '../../state/src/suites/task-queue.ts'
import { tasksSuite } from '../../state/src/suites/tasks.ts'
import { SqliteEvents } from '../src/events.ts'
import { SqliteFiles } from '../src/files.ts'
import { SqliteKeptResults } from '../src/kept-results.ts'
import { SqliteSessions } from '../src/sessions.ts'
import { SqliteTaskQueue } from '../src/task-queue.ts'
import { SqliteTasks } from '../src/tasks.ts'
import { SqliteUsedTokens } from '../src/used-tokens.ts'
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
