// Where the server listens, and what it says of itself.
import { ofServer, optional, type SettingRows, setting } from '../setting-row.ts'
import {
  description,
  extensions,
  flag,
  host,
  hosts,
  instructions,
  integer,
  link,
  milliseconds,
  nonEmptyText,
  origins,
  path,
  proxies,
  text,
  url,
} from '../setting-types.ts'

export const LISTENING = {
  HOST: ofServer(
    setting({
      option: 'host',
      type: host,
      fallback: '127.0.0.1',
      meaning: 'The address to bind. One outside loopback needs access control, or `ALLOW_ANONYMOUS=true`.',
    }),
  ),
  PORT: ofServer(
    setting({
      option: 'port',
      type: integer(0, 65_535),
      fallback: 3000,
      meaning: 'The port to bind. `0` takes any free port.',
    }),
  ),
  MCP_PATH: setting({
    option: 'mcpPath',
    type: path,
    fallback: '/mcp',
    meaning: 'The path of the endpoint.',
  }),
  PUBLIC_URL: optional({
    option: 'publicUrl',
    type: url,
    byDefault: 'from host, port and path',
    meaning: 'The URL that clients use. Its host and origin are allowed, and tokens name it as audience.',
  }),
  SERVER_NAME: optional({
    option: 'name',
    type: text(128),
    byDefault: 'that of the nearest `package.json`',
    meaning: 'The name that the server tells clients. In a program: `toolrack`.',
  }),
  SERVER_TITLE: optional({
    option: 'title',
    type: text(200),
    meaning: 'The name that people read, in clients that show one.',
  }),
  SERVER_DESCRIPTION: optional({
    option: 'description',
    type: description,
    meaning: 'What the server is for, for people who choose among servers.',
  }),
  SERVER_VERSION: optional({
    option: 'version',
    type: text(64),
    byDefault: 'that of the nearest `package.json`',
    meaning: 'The version that the server tells clients. In a program: that of Toolrack.',
  }),
  SERVER_WEBSITE_URL: optional({
    option: 'websiteUrl',
    type: link,
    meaning: 'The page about the server, which clients may link to.',
  }),
  SERVER_ICON: optional({
    option: 'icon',
    type: nonEmptyText,
    meaning:
      'An image for clients that show one: an `https:` or `data:` URL, or the path of a PNG, JPEG, WebP or SVG file of at most 64 KiB.',
  }),
  EXTENSIONS: optional({
    option: 'extensions',
    type: extensions,
    meaning: 'Extensions of MCP that the tools speak, for the capabilities.',
  }),
  INSTRUCTIONS: optional({
    option: 'instructions',
    type: instructions,
    meaning: 'What a model should know of the server, beside its tools.',
  }),
  INSTRUCTIONS_FILE: optional({
    option: 'instructionsFile',
    type: nonEmptyText,
    meaning: 'A file that has them instead. It is read at the start.',
  }),
  TRUST_PROXY: ofServer(
    setting({
      option: 'trustProxy',
      type: proxies,
      fallback: false,
      meaning: 'The proxies whose `X-Forwarded-*` headers count. Set it behind a proxy.',
    }),
  ),
  ALLOWED_ORIGINS: optional({
    option: 'allowedOrigins',
    type: origins,
    byDefault: 'loopback and `PUBLIC_URL`',
    meaning:
      'The origins of pages, extensions (`chrome-extension://ID`) and apps (`tauri://localhost`) that may call. A scheme alone (`moz-extension://`, `vscode-webview://`) allows all of its origins. Without it, other pages of this machine may [only read](../guides/access.md#pages-of-this-machine).',
  }),
  ALLOWED_HOSTS: optional({
    option: 'allowedHosts',
    type: hosts,
    byDefault: 'loopback and `PUBLIC_URL`',
    meaning: 'The hosts that the `Host` header may name.',
  }),
  ALLOW_ANONYMOUS: ofServer(
    setting({
      option: 'allowAnonymous',
      type: flag,
      fallback: false,
      meaning:
        '`true` opens the server to everyone who can reach it: it binds addresses outside loopback without access control.',
    }),
  ),
  DRAIN_MS: setting({
    option: 'drainMs',
    type: milliseconds(0),
    fallback: 10_000,
    meaning: 'How long a shutdown waits for calls under way.',
  }),
} as const satisfies SettingRows
