// Which tools are served, and how they run.
import { ofServer, optional, type SettingRows, setting } from '../setting-row.ts'
import { choice, durationUpTo, flag, folders, globs, milliseconds } from '../setting-types.ts'

export const TOOLS = {
  TOOLS_DIR: setting({
    option: 'toolsDir',
    type: folders,
    fallback: ['./tools'],
    meaning:
      'The tools folder: `*.ts`, `*.js`, `*.mjs`, and folders with an `index`. There may be [several](tools.md#several-folders).',
  }),
  TOOLS_STRICT: ofServer(
    optional({
      option: 'toolsStrict',
      type: flag,
      byDefault: '`true` with `NODE_ENV=production`',
      meaning:
        'Whether `GET /ready` is 503 until everything of the tools folder has loaded ([tools.md](tools.md#a-deployment-that-does-not-load)).',
    }),
  ),
  SAMPLES: setting({
    option: 'samples',
    type: flag,
    fallback: false,
    meaning: '`true` serves the [tools that ship](shelf.md), behind all others, which replace them by name.',
  }),
  TOOLS_INCLUDE: optional({
    option: 'toolsInclude',
    type: globs,
    byDefault: 'all',
    meaning: 'Which tools are served.',
  }),
  TOOLS_EXCLUDE: optional({
    option: 'toolsExclude',
    type: globs,
    meaning: 'Which tools are not served. It wins over `TOOLS_INCLUDE`.',
  }),
  WATCH_TOOLS: optional({
    option: 'watchTools',
    type: flag,
    byDefault: '`true` unless `NODE_ENV=production`',
    meaning: 'Reloads a tool file when it changes. `SIGHUP` reloads in any case.',
  }),
  TOOL_TIMEOUT_MS: setting({
    option: 'limits.toolTimeout',
    type: durationUpTo(600_000),
    fallback: 30_000,
    meaning: 'The deadline of a call whose tool has no `timeout`.',
  }),
  ERROR_MESSAGES: setting({
    option: 'errorMessages',
    type: choice('all', 'tool-errors'),
    fallback: 'all',
    meaning: '`tool-errors` shows clients only the text of `ToolError`, and of other errors a reference to the log.',
  }),
  SLOW_CALL_MS: setting({
    option: 'slowCallMs',
    type: milliseconds(1),
    fallback: 5000,
    meaning: 'A call that takes longer is a warning in the log.',
  }),
} as const satisfies SettingRows
