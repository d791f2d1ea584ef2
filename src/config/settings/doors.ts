// The doors that ship, and which of them are open. On this floor, since all settings are one table.
import { optional, type SettingRows, setting } from '../setting-row.ts'
import { flag } from '../setting-types.ts'

export const DOORS = {
  HTTP_SSE: setting({
    option: 'httpSse',
    type: flag,
    fallback: false,
    meaning: '`true` adds the deprecated transport of 2024-11-05: `GET /sse` and `POST /messages`.',
  }),
  PLAIN_HTTP: optional({
    option: 'plainHttp',
    type: flag,
    byDefault: '`true` on loopback',
    meaning: 'Whether tools can be called without MCP, by `POST /tools/NAME`. In an app of your own, off by default.',
  }),
  CONSOLE: optional({
    option: 'console',
    type: flag,
    byDefault: '`true` on loopback',
    meaning: 'Whether `/console` is served, to call tools from a browser ([console.md](console.md#the-console)).',
  }),
} as const satisfies SettingRows
