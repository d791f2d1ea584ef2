// Streams and their events in the file. For a stream of a former process, it tells which requests
// stay without a response.
import type { RequestId } from 'toolrack'
import {
  type EventBounds,
  type EventStore,
  findUnanswered,
  MAX_EVENTS_PER_STREAM,
  MAX_EVENTS_SIZE,
  MAX_STREAM_SIZE,
  type Replay,
  STREAM_TTL_MS,
  type StoredEvent,
  type StreamKey,
} from 'toolrack/stores'
import type { Row, StateFile } from './file.ts'
import { readUsage } from './usage.ts'

/** Size of a stream without its events, and of an event without its text, bytes. */
const STREAM_BYTES = 700
const EVENT_BYTES = 100
/** Streams removed at once; a stream may have a hundred events. */
const SWEPT_AT_ONCE = 200
/** Streams that a full file forgets at once. */
const SHRUNK_AT_ONCE = 1000

export interface SqliteEventBounds extends EventBounds {
  readonly now?: () => number
}

export class SqliteEvents implements EventStore {
  readonly backend: StateFile
  readonly #maxSize: number
  readonly #now: () => number

  constructor(file: StateFile, { maxSize = MAX_EVENTS_SIZE, now = Date.now }: SqliteEventBounds = {}) {
    this.backend = file
    this.#maxSize = maxSize
    this.#now = now
    file.addChores({ sweep: () => this.#sweep(), shrink: () => this.#shrink() })
  }

  // An event that cannot be kept is still sent: only a client that resumes misses it.
  begin(key: StreamKey, requests: readonly RequestId[] = []): void {
    const sql = 'UPDATE streams SET requests = ?, process = ? WHERE number = ?'
    this.#write(key, number => this.backend.run(sql, JSON.stringify(requests), this.backend.process, number))
  }

  append(key: StreamKey, { seq, json }: StoredEvent): void {
    const size = Buffer.byteLength(json) + EVENT_BYTES
    this.#write(key, number => {
      this.backend.run('INSERT INTO events VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING', number, seq, json, size)
      this.backend.run('UPDATE streams SET last_seq = ? WHERE number = ?', seq, number)
      this.#shorten(number, seq)
      this.#trim(this.#maxSize, number)
    })
  }

  finish(key: StreamKey): void {
    this.#write(key, number => this.backend.run('UPDATE streams SET is_finished = 1 WHERE number = ?', number))
  }

  read({ session, stream }: StreamKey, afterSeq: number): Replay | undefined {
    const sql = 'SELECT * FROM streams WHERE stream = ? AND session = ? AND used_at > ?'
    const row = this.backend.get(sql, stream, session, this.#now() - STREAM_TTL_MS)
    if (row === undefined) return undefined
    const isFinished = row['is_finished'] === 1
    const isReply = row['is_reply'] === 1
    const isLost = isReply && !isFinished && row['process'] !== this.backend.process
    const events = this.#readEvents(row, isLost ? 0 : afterSeq)
    return {
      events: events.filter(({ seq }) => seq > afterSeq),
      lastSeq: Number(row['last_seq']),
      isFinished,
      isReply,
      ...(isLost && { lost: findUnanswered(String(row['requests']), events) }),
    }
  }

  #readEvents({ number }: Row, afterSeq: number): StoredEvent[] {
    const sql = 'SELECT seq, json FROM events WHERE stream = ? AND seq > ? ORDER BY seq'
    return this.backend.all(sql, number as number, afterSeq).map(({ seq, json }) => ({
      seq: Number(seq),
      json: String(json),
    }))
  }

  #write(key: StreamKey, change: (number: number) => void): void {
    this.backend.tryTo(() => this.backend.atomically(() => change(this.#touch(key))))
  }

  #touch({ session, stream, isReply }: StreamKey): number {
    const sql = `INSERT INTO streams (stream, session, is_reply, requests, process, size, used_at)
      VALUES (?, ?, ?, '[]', ?, ${STREAM_BYTES}, ?)
      ON CONFLICT (stream) DO UPDATE SET used_at = excluded.used_at RETURNING number`
    const row = this.backend.get(sql, stream, session, Number(isReply ?? false), this.backend.process, this.#now())
    return Number(row?.['number'])
  }

  #shorten(number: number, seq: number): void {
    this.backend.run('DELETE FROM events WHERE stream = ? AND seq <= ?', number, seq - MAX_EVENTS_PER_STREAM)
    const read = () => Number(this.backend.get('SELECT size FROM streams WHERE number = ?', number)?.['size'])
    const oldest = 'SELECT min(seq) FROM events WHERE stream = ? AND seq < ?'
    const forget = `DELETE FROM events WHERE stream = ? AND seq = (${oldest})`
    while (read() > MAX_STREAM_SIZE && this.backend.run(forget, number, number, seq) > 0);
  }

  // At most half of them, because the process waits for it.
  #shrink(): void {
    const most = Math.min(SHRUNK_AT_ONCE, Math.ceil(readUsage(this.backend, 'streams*').count / 2))
    const oldest = 'SELECT number FROM streams ORDER BY used_at LIMIT ?'
    this.backend.run(`DELETE FROM streams WHERE number IN (${oldest})`, most)
  }

  /** @param spared a stream that stays, however large it is */
  #trim(maxSize: number, spared: number): void {
    const oldest =
      'DELETE FROM streams WHERE number = (SELECT number FROM streams WHERE number <> ? ORDER BY used_at LIMIT 1)'
    while (readUsage(this.backend, 'streams*').bytes > maxSize && this.backend.run(oldest, spared) > 0);
  }

  #sweep(): void {
    const expired = `SELECT number FROM streams WHERE used_at <= ? LIMIT ${SWEPT_AT_ONCE}`
    this.backend.run(`DELETE FROM streams WHERE number IN (${expired})`, this.#now() - STREAM_TTL_MS)
  }
}
