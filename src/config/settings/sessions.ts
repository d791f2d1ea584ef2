// Lists, sessions and tasks.
import { type SettingRows, setting } from '../setting-row.ts'
import { choice, flag, integer, milliseconds } from '../setting-types.ts'

export const SESSIONS = {
  PAGE_SIZE: setting({
    option: 'pageSize',
    type: integer(1, 10_000),
    fallback: 1000,
    meaning: 'Entries per page of a list. The default is large, since some clients read one page only.',
  }),
  LIST_TTL_MS: setting({
    option: 'listTtlMs',
    type: milliseconds(0),
    fallback: 60_000,
    meaning: 'The freshness hint on lists and on discovery.',
  }),
  SESSIONS: setting({
    option: 'sessions.mode',
    type: choice('optional', 'required'),
    fallback: 'optional',
    meaning:
      'Whether every request of 2025-03-26 to 2025-11-25 needs a session ([revisions.md](revisions.md#without-a-session)).',
  }),
  SESSION_TTL_MS: setting({
    option: 'sessions.ttlMs',
    type: milliseconds(1000),
    fallback: 3_600_000,
    meaning: 'How long an idle session is kept (revisions with a handshake).',
  }),
  TASK_INLINE_MS: setting({
    option: 'tasks.inlineMs',
    type: integer(0, 60_000),
    fallback: 2000,
    meaning: 'How long a call waits for its tool before it becomes a task.',
  }),
  TASK_TTL_MS: setting({
    option: 'tasks.ttlMs',
    type: integer(1000, 86_400_000),
    fallback: 3_600_000,
    meaning: 'How long a task is kept, from its creation.',
  }),
  TASK_FALLBACK_TOOLS: setting({
    option: 'tasks.fallbackTools',
    type: flag,
    fallback: false,
    meaning: '`true` adds `get_task_result` and `cancel_task`, tools for clients that know no tasks.',
  }),
} as const satisfies SettingRows
