// The tables of the file, as migrations. `user_version` counts those that a file has had.
import { StartError } from 'toolrack/stores'
import type { DatabaseSync } from './module.ts'

/** `TLRK`: distinguishes files of Toolrack from databases of other programs. */
const APPLICATION_ID = 0x544c524b

// The counts of `usage` are kept by triggers, so that no store can forget one. A client of '' in a
// kind that ends in `*` stands for all clients.
const countRows = (table: string, { kind, client, bytes }: { kind: string; client: string; bytes: string }) => `
CREATE TRIGGER "${kind} in" AFTER INSERT ON ${table} BEGIN
  INSERT INTO usage VALUES ('${kind}', ${client.replace('@', 'new')}, 1, ${bytes.replace('@', 'new')})
    ON CONFLICT (kind, client) DO UPDATE SET count = count + 1, bytes = bytes + excluded.bytes;
END;
CREATE TRIGGER "${kind} out" AFTER DELETE ON ${table} BEGIN
  UPDATE usage SET count = count - 1, bytes = bytes - ${bytes.replace('@', 'old')}
    WHERE kind = '${kind}' AND client = ${client.replace('@', 'old')};
  DELETE FROM usage WHERE kind = '${kind}' AND client = ${client.replace('@', 'old')} AND count = 0;
END;
${
  bytes === '0'
    ? ''
    : `CREATE TRIGGER "${kind} size" AFTER UPDATE OF ${bytes.replace('@.', '')} ON ${table} BEGIN
  UPDATE usage SET bytes = bytes + ${bytes.replace('@', 'new')} - ${bytes.replace('@', 'old')}
    WHERE kind = '${kind}' AND client = ${client.replace('@', 'new')};
END;`
}`

// All times are Unix times in ms. `process` counts the starts of the server. It distinguishes the
// work of a former process from that of this one.
const FIRST = `
CREATE TABLE meta (key TEXT PRIMARY KEY, value) WITHOUT ROWID;
CREATE TABLE usage (kind TEXT, client TEXT, count INTEGER, bytes INTEGER, PRIMARY KEY (kind, client)) WITHOUT ROWID;

CREATE TABLE sessions (id TEXT PRIMARY KEY, used_at INTEGER, record TEXT);
CREATE INDEX sessions_by_use ON sessions (used_at);
${countRows('sessions', { kind: 'sessions*', client: "''", bytes: '0' })}

CREATE TABLE streams (
  number INTEGER PRIMARY KEY, stream TEXT UNIQUE, session TEXT, is_reply INTEGER DEFAULT 0, is_finished INTEGER DEFAULT 0,
  requests TEXT, process INTEGER, last_seq INTEGER DEFAULT 0, size INTEGER, used_at INTEGER
);
CREATE INDEX streams_by_use ON streams (used_at);
CREATE TABLE events (
  stream INTEGER REFERENCES streams ON DELETE CASCADE, seq INTEGER, json TEXT, size INTEGER, UNIQUE (stream, seq)
);
CREATE TRIGGER "events in" AFTER INSERT ON events BEGIN
  UPDATE streams SET size = size + new.size WHERE number = new.stream;
END;
CREATE TRIGGER "events out" AFTER DELETE ON events BEGIN
  UPDATE streams SET size = size - old.size WHERE number = old.stream;
END;
${countRows('streams', { kind: 'streams*', client: "''", bytes: '@.size' })}

CREATE TABLE used_tokens (number INTEGER PRIMARY KEY, id TEXT UNIQUE, expires_at INTEGER);
CREATE INDEX used_tokens_by_end ON used_tokens (expires_at);
${countRows('used_tokens', { kind: 'used tokens*', client: "''", bytes: '0' })}

CREATE TABLE files (
  number INTEGER PRIMARY KEY, id TEXT UNIQUE, owner_key TEXT, about TEXT, size INTEGER, expires_at INTEGER
);
CREATE INDEX files_by_owner ON files (owner_key, number);
CREATE TABLE chunks (
  file INTEGER REFERENCES files ON DELETE CASCADE, position INTEGER, bytes BLOB, PRIMARY KEY (file, position)
);
${countRows('files', { kind: 'files', client: '@.owner_key', bytes: '@.size' })}
${countRows('files', { kind: 'files*', client: "''", bytes: '@.size' })}

CREATE TABLE kept_results (
  id TEXT PRIMARY KEY, client TEXT, fingerprint TEXT, is_repeatable INTEGER, task TEXT, token TEXT, claimed_until INTEGER,
  ended_at REAL, outcome TEXT, size INTEGER DEFAULT 0
);
CREATE INDEX kept_results_by_end ON kept_results (ended_at);
CREATE INDEX kept_results_of_client ON kept_results (client, ended_at);
CREATE INDEX kept_results_by_claim ON kept_results (claimed_until) WHERE ended_at IS NULL;
${countRows('kept_results', { kind: 'kept results', client: '@.client', bytes: '@.size' })}
${countRows('kept_results', { kind: 'kept results*', client: "''", bytes: '@.size' })}

CREATE TABLE tasks (
  id TEXT PRIMARY KEY, client TEXT, owner TEXT, is_handed_out INTEGER, created_at INTEGER, expires_at INTEGER,
  status TEXT, size INTEGER, record TEXT
);
CREATE INDEX tasks_of_owner ON tasks (owner, created_at, id) WHERE is_handed_out = 1;
CREATE INDEX tasks_by_end ON tasks (expires_at);
CREATE INDEX tasks_by_status ON tasks (status);

CREATE TABLE queue (
  number INTEGER PRIMARY KEY, id TEXT, run INTEGER, client TEXT, has_quota INTEGER, UNIQUE (id, run)
);
`

/** Each migration leads to the next version. A released one is never changed. */
export const MIGRATIONS: readonly string[] = [FIRST]

const read = (database: DatabaseSync, pragma: string): number =>
  Object.values(database.prepare(`PRAGMA ${pragma}`).get() ?? {})[0] as number

/**
 * Creates the tables of a new file, or updates those of an older version.
 *
 * @throws StartError for the file of a newer version, or of another program
 */
export function migrate(database: DatabaseSync, path: string, migrations: readonly string[] = MIGRATIONS): void {
  const [id, version, pages] = [
    read(database, 'application_id'),
    read(database, 'user_version'),
    read(database, 'page_count'),
  ]
  if (pages > 0 && id !== APPLICATION_ID)
    throw new StartError(`${path} is the database of another program; name another file`)
  if (version > migrations.length)
    throw new StartError(
      `${path} was written by a newer Toolrack (version ${version} of its tables; this one knows ${migrations.length}): ` +
        'start that one, or name another file',
    )
  if (version === migrations.length) return
  // Before the first table: it has no effect later.
  if (pages === 0) database.exec('PRAGMA auto_vacuum = INCREMENTAL')
  database.exec('BEGIN IMMEDIATE')
  try {
    for (const migration of migrations.slice(version)) database.exec(migration)
    database.exec(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${migrations.length}; COMMIT`)
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK')
    throw error
  }
}
