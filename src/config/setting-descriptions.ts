// What each setting means, in groups: for docs/settings.md and for the help of `toolrack start`.
import { SETTINGS, type SettingName } from './settings.ts'

export interface Explanation {
  readonly meaning: string
  /** Shown as the default if the settings table has none. */
  readonly byDefault?: string
}

export interface SettingsSection {
  readonly title: string
  readonly settings: { readonly [N in SettingName]?: string | Explanation }
}

export const SETTINGS_SECTIONS: readonly SettingsSection[] = [
  {
    title: 'Where the server listens',
    settings: {
      HOST: 'The address to bind. One outside loopback needs access control, or `ALLOW_ANONYMOUS=true`.',
      PORT: 'The port to bind. `0` takes any free port; with access control that needs `PUBLIC_URL` or `JWT_AUDIENCE`.',
      MCP_PATH:
        'The path of the endpoint. A path that the server uses itself (`/health`, `/metrics`, with `HTTP_SSE` `/sse`) stops the start.',
      PUBLIC_URL: {
        byDefault: 'from host, port and path',
        meaning:
          'The URL that clients use: the canonical URI of the endpoint. Its host and origin are allowed, and tokens name it as audience. Over plain `http:`, tokens cross the network in the clear, so the log warns.',
      },
      SERVER_NAME: {
        byDefault: 'that of the nearest `package.json`',
        meaning:
          'The name that the server tells clients. The nearest `package.json` is that of the tools folder, or of a folder above it; without one, and in a program, the name is `toolrack`.',
      },
      SERVER_TITLE: 'The name that people read, in clients that show one.',
      SERVER_DESCRIPTION: 'What the server is for, in a sentence or two, for people who choose among servers.',
      SERVER_VERSION: {
        byDefault: 'that of the nearest `package.json`',
        meaning:
          'The version that the server tells clients. Without a `package.json` that has one, and in a program, it is that of toolrack.',
      },
      SERVER_WEBSITE_URL: 'The page about the server, which clients may link to.',
      SERVER_ICON:
        'An image for clients that show one: an `https:` or `data:` URL, or the path of a PNG, JPEG, WebP or SVG file of at most 64 KiB.',
      EXTENSIONS:
        'Extensions of MCP that the tools speak: clients find them in the capabilities. The server adds that of tasks itself.',
      INSTRUCTIONS: 'What a model should know of the server, beside its tools. Clients may give it to the model.',
      INSTRUCTIONS_FILE: 'The file that has them instead, of text in UTF-8. It is read once, at the start.',
      TRUST_PROXY: 'The proxies whose `X-Forwarded-*` headers count. Set it behind a proxy.',
      ALLOWED_ORIGINS: {
        byDefault: 'loopback and `PUBLIC_URL`',
        meaning:
          'The origins from which browsers may call, separated by commas: of pages, extensions (`chrome-extension://ID`) and apps (`tauri://localhost`). A scheme alone, such as `moz-extension://` or `vscode-webview://`, allows all of its origins, since each installation makes up its ids. Without it and without access control, other pages of this machine may call read-only tools only.',
      },
      ALLOWED_HOSTS: {
        byDefault: 'loopback and `PUBLIC_URL`',
        meaning: 'The hosts that the `Host` header may name, separated by commas.',
      },
      ALLOW_ANONYMOUS:
        '`true` lets the server bind an address outside loopback without access control. It is then open to everyone who can reach it.',
      HTTP_SSE:
        '`true` adds the deprecated transport of 2024-11-05: `GET /sse` and `POST /messages`. Clients come back to their session when a stream drops.',
      PLAIN_HTTP: {
        byDefault: '`true` on loopback',
        meaning:
          'Whether tools can be called without MCP, by `POST /tools/NAME`. Default in an app of your own: `false`.',
      },
      CONSOLE: {
        byDefault: '`true` on loopback',
        meaning:
          'Whether `/console` is served, to call tools from a browser. Outside loopback it needs access control. Default in an app of your own: `false`.',
      },
      DRAIN_MS: 'How long a shutdown waits for calls under way.',
    },
  },
  {
    title: 'Tools',
    settings: {
      TOOLS_DIR:
        'The tools folder: `*.ts`, `*.js`, `*.mjs`, and folders with an `index`. [Several](tools.md#several-folders) are separated by commas.',
      TOOLS_STRICT: {
        byDefault: '`true` with `NODE_ENV=production`',
        meaning:
          'Whether `GET /ready` is 503 until everything of the tools folder has loaded ([tools.md](tools.md#a-deployment-that-does-not-load)).',
      },
      SAMPLES:
        '`true` serves the [tools that ship](shelf.md), behind those of the tools folder, which replace them by name.',
      TOOLS_INCLUDE: {
        byDefault: 'all',
        meaning: 'Which tools are served: globs of their names, separated by commas.',
      },
      TOOLS_EXCLUDE: 'Which tools are not served. It wins over `TOOLS_INCLUDE`.',
      WATCH_TOOLS: {
        byDefault: '`true` unless `NODE_ENV=production`',
        meaning:
          'Reloads a tool file when it changes. `SIGHUP` reloads in any case, but ends a server whose terminal has closed.',
      },
      TOOL_TIMEOUT_MS: 'The deadline of a call whose tool has no `timeout`.',
      ERROR_MESSAGES:
        '`tool-errors` shows clients only the text of `ToolError`, and a reference to the log for all other errors.',
      SLOW_CALL_MS: 'A call that takes longer is a warning in the log.',
    },
  },
  {
    title: 'Access control',
    settings: {
      JWT_SECRET: 'The shared secret of tokens that are signed with HS256.',
      JWT_JWKS_URL:
        'Where the issuer publishes its keys (RSA, EC or Ed25519), if its metadata does not say. Needs `JWT_ISSUER`.',
      JWT_ALGORITHMS: {
        byDefault: 'those of the keys',
        meaning: 'The algorithms that tokens may be signed with, separated by commas. `HS256` only with `JWT_SECRET`.',
      },
      JWT_ISSUER:
        'The `iss` that a token must have. Its metadata names its keys, unless `JWT_JWKS_URL` or `JWT_SECRET` is set. Commas separate several.',
      JWT_AUDIENCE: {
        byDefault: '`PUBLIC_URL`',
        meaning: 'The `aud` that a token must have. Of several, separated by commas, it has to name one.',
      },
      JWT_AUDIENCE_OPTIONAL:
        '`true` accepts tokens without `aud`, as Cognito issues them. Needs `JWT_CLIENT_IDS` or `JWT_REQUIRED_CLAIMS` ([identity-providers.md](identity-providers.md#which-audience)).',
      JWT_CLIENT_IDS:
        'The clients whose tokens are accepted, separated by commas ([identity-providers.md](identity-providers.md#which-clients)).',
      JWT_REQUIRED_CLAIMS:
        'The claims that a token must have, with their values, such as `repository_owner=acme` ([identity-providers.md](identity-providers.md#which-claims-are-required)).',
      JWT_SCOPE_CLAIMS: {
        byDefault: '`scope`, else `scp`',
        meaning:
          'The claims that grant scopes, separated by commas: `scope,scp,roles=role:` makes of the role `admin` the scope `role:admin` ([identity-providers.md](identity-providers.md#which-claims-grant-scopes)).',
      },
      JWT_SCOPE_PREFIX:
        'What the authorization server puts before the scopes of this server, such as `api://GUID/`. Clients are told scopes with it; tools name them without it.',
      JWT_CLAIMS:
        'The claims that tools see as `ctx.caller.claims`, separated by commas: `tenant=tid,email` gives `tid` the name `tenant` ([identity-providers.md](identity-providers.md#claims-for-tools)).',
      TENANT_CLAIM:
        "The claim that names a caller's tenant, such as `tenant`. Sessions, tasks, files, metrics and audit are by tenant ([tenants.md](tenants.md)).",
      ISSUERS_FILE: 'More issuers, each with rules of its own, as a JSON file ([issuers.md](issuers.md)).',
      API_KEYS_FILE:
        'The API keys that callers may have instead of a token, as a JSON file ([api-keys.md](api-keys.md)).',
      AUTHORIZATION_SERVERS: {
        byDefault: '`JWT_ISSUER`, and those of `ISSUERS_FILE`',
        meaning: 'The authorization servers that clients are sent to (RFC 9728), separated by commas.',
      },
      TOKEN_EXCHANGE_CLIENT_ID:
        'The client as which this server gets tokens of other services for its tools, [on behalf of callers](on-behalf-of.md).',
      TOKEN_EXCHANGE_CLIENT_SECRET: 'The secret of that client.',
      TOKEN_EXCHANGE_GRANT: {
        byDefault: '`token-exchange`',
        meaning: 'How it asks: `token-exchange` (RFC 8693), or `jwt-bearer`, the on-behalf-of form of Microsoft Entra.',
      },
      TOKEN_EXCHANGE_URL: {
        byDefault: 'from the metadata of `JWT_ISSUER`',
        meaning: 'The token endpoint that it asks.',
      },
      SCOPES_SUPPORTED: {
        byDefault: 'those of what only reads',
        meaning: 'The scopes that clients ask for at first (RFC 9728), separated by commas.',
      },
      REQUIRED_SCOPES:
        'The scopes that all needs which names none itself, separated by commas ([access.md](access.md#scopes)).',
      SCOPE_HIERARCHY: 'Broader scopes that stand for narrower ones, such as `admin>write>read`.',
      SCOPE_DENIAL: '`result` answers a call that lacks scopes with `isError` instead of 403.',
    },
  },
  {
    title: 'Limits',
    settings: {
      RATE_LIMIT_MAX:
        'Requests per client in one window. A client is a subject, or without access control an address (IPv6 by /64).',
      RATE_LIMIT_WINDOW: 'The window of `RATE_LIMIT_MAX`.',
      RATE_LIMIT_CLAIM:
        'Callers with the same value of this claim, such as `tenant`, share one rate, also that of a tool ([tenants.md](tenants.md)).',
      MAX_CONCURRENT_CALLS: 'Calls that run at once, per process.',
      MAX_QUEUED_CALLS: 'Calls that wait for a slot, per process.',
      MAX_BODY_BYTES: 'The size of a request.',
      MAX_RESULT_BYTES: 'The size of a result.',
    },
  },
  {
    title: 'Lists, sessions and tasks',
    settings: {
      PAGE_SIZE: 'Entries per page of a list. The default is large, since some clients read one page only.',
      LIST_TTL_MS: 'The freshness hint on lists and on discovery.',
      SESSIONS:
        '`optional` serves requests of 2025-03-26 to 2025-11-25 without a session, if they need none; `required` answers them with 400 ([revisions.md](revisions.md#without-a-session)).',
      SESSION_TTL_MS: 'How long an idle session is kept (revisions with a handshake).',
      TASK_INLINE_MS: 'How long a call waits for its tool before it becomes a task.',
      TASK_TTL_MS: 'How long a task is kept, from its creation.',
      TASK_FALLBACK_TOOLS: '`true` adds `get_task_result` and `cancel_task`, tools for clients that know no tasks.',
    },
  },
  {
    title: 'Replicas',
    settings: {
      STATE: {
        byDefault: '`memory`',
        meaning:
          '`sqlite:./toolrack.db` keeps sessions, tasks and results in a file, so that they outlive a restart and a kill of one process ([sqlite.md](sqlite.md)).',
      },
      REDIS_URL:
        'Replicas share sessions, limits and tasks in this Redis, by `ioredis` and `bullmq` ([replicas.md](replicas.md)).',
      REDIS_PREFIX: 'How every key in Redis begins.',
      STATE_SECRET: {
        byDefault: 'random; with Redis, shared',
        meaning:
          'Seals `requestState` and cursors; without Redis also the ids of sessions, which then outlive a restart ([replicas.md](replicas.md#without-redis)).',
      },
      STATE_SECRET_PREVIOUS: 'The former secret: it still opens what it sealed ([rotation](replicas.md#secrets)).',
    },
  },
  {
    title: 'What the operator sees',
    settings: {
      CLIENT_LOGGING:
        'Whether clients may get what tools log (`logging` of MCP). `false` keeps it in the log of the server.',
      LOG_LEVEL: 'The level of the log (pino): JSON lines on stdout, readable text on a terminal.',
      METRICS: 'Counts, and serves `GET /metrics` to this machine ([observability.md](observability.md)).',
      METRICS_PORT: 'Serves the metrics on a port of their own instead.',
      METRICS_TOKEN: 'The bearer token with which other machines may read the metrics.',
      AUDIT_FILE: { byDefault: 'stdout', meaning: 'The file that the audit is written to ([audit.md](audit.md)).' },
      AUDIT_REQUIRED: '`true` refuses calls (503) while the file cannot be written ([audit.md](audit.md#lost-lines)).',
      AUDIT_ARGUMENTS: '`true` writes the values of arguments into the audit, masked.',
    },
  },
]

/** What a setting means, and its default if that is not in the table. */
export function describeSetting(name: SettingName): Explanation {
  const found = SETTINGS_SECTIONS.map(({ settings }) => settings[name]).find(each => each !== undefined)
  return typeof found === 'string' ? { meaning: found } : (found ?? { meaning: '' })
}

/** @returns undefined if the table has no default */
export function describeDefault(name: SettingName): { value: string; inWords?: string | undefined } | undefined {
  const { fallback } = SETTINGS[name]
  if (fallback === undefined) return undefined
  return { value: String(fallback), ...(typeof fallback === 'number' && { inWords: toUnit(name, fallback) }) }
}

const UNITS: readonly (readonly [RegExp, readonly (readonly [number, string])[]])[] = [
  [/_BYTES$/, [[2 ** 20, 'MiB']]],
  [
    /_(?:MS|WINDOW)$/,
    [
      [3_600_000, 'h'],
      [60_000, 'min'],
      [1000, 's'],
    ],
  ],
]

/** Formats a value with its unit: `TASK_TTL_MS`, 3600000 → `1 h`. */
function toUnit(name: string, value: number): string | undefined {
  const units = UNITS.find(([pattern]) => pattern.test(name))?.[1] ?? []
  const unit = units.find(([size]) => value % size === 0)
  return unit && `${value / unit[0]} ${unit[1]}`
}

/** Nearly every setting refuses one of these values, with an error that says what it expects. */
const PROBES: readonly unknown[] = ['http://x.example', '\0']

/** What the value has to be, in words. */
export function describeValue(name: SettingName): string {
  for (const probe of PROBES) {
    try {
      SETTINGS[name].read(probe)
    } catch (error) {
      return (error as Error).message.replace(/^expected /, '').replace(/, not ".*"$/, '')
    }
  }
  return 'text'
}
