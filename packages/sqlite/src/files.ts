// Kept files in the file of the state, in chunks: other work can run while a large one is written.
import { setImmediate as nextTurn } from 'node:timers/promises'
import { FILE_BOUNDS, FILE_TTL_MS, type FileStore, type KeptFile, parseObject } from 'toolrack/stores'
import type { Row, StateFile } from './file.ts'
import { readUsage, type UsageKind } from './usage.ts'

/** Takes some 2 ms to write. */
const CHUNK_BYTES = 256 * 1024
const SWEPT_AT_ONCE = 20

export class SqliteFiles implements FileStore {
  readonly backend: StateFile
  readonly #now: () => number

  constructor(file: StateFile, now: () => number = Date.now) {
    this.backend = file
    this.#now = now
    file.addChores({
      sweep: () => this.#sweep(),
      shrink: () => this.#trim('files*', '', readUsage(file, 'files*').bytes / 2),
    })
  }

  async put(id: string, ownerKey: string, { bytes, ...about }: KeptFile): Promise<boolean> {
    const size = bytes.byteLength
    this.#sweep()
    this.#trim('files', ownerKey, FILE_BOUNDS.maxOfOwner - size)
    this.#trim('files*', '', FILE_BOUNDS.maxTotal - size)
    const values = [id, ownerKey, JSON.stringify(about), size, this.#now() + FILE_TTL_MS]
    const sql = 'INSERT INTO files (id, owner_key, about, size, expires_at) VALUES (?, ?, ?, ?, ?)'
    this.backend.run(sql, ...values)
    try {
      return await this.#writeChunks(id, bytes)
    } catch (error) {
      this.backend.tryTo(() => this.backend.run('DELETE FROM files WHERE id = ?', id))
      throw error
    }
  }

  async find(id: string): Promise<KeptFile | undefined> {
    const row = this.backend.get('SELECT * FROM files WHERE id = ? AND expires_at > ?', id, this.#now())
    const about = row && (parseObject(row['about']) as unknown as Omit<KeptFile, 'bytes'> | undefined)
    const bytes = about && (await this.#readChunks(row))
    return bytes && { owner: about.owner, name: about.name, mimeType: about.mimeType, bytes }
  }

  // Once newer files have taken its place, no chunk brings it back.
  async #writeChunks(id: string, bytes: Uint8Array): Promise<boolean> {
    const sql = 'INSERT INTO chunks SELECT number, ?, ? FROM files WHERE id = ?'
    for (let at = 0; at < bytes.byteLength; at += CHUNK_BYTES) {
      if (at > 0) await nextTurn()
      if (this.backend.run(sql, at, bytes.subarray(at, at + CHUNK_BYTES), id) === 0) return false
    }
    return true
  }

  /** @returns undefined if the file is incomplete, or is removed meanwhile to make room */
  async #readChunks({ number, size }: Row): Promise<Uint8Array | undefined> {
    const bytes = new Uint8Array(Number(size))
    for (let at = 0; at < bytes.byteLength; at += CHUNK_BYTES) {
      if (at > 0) await nextTurn()
      const sql = 'SELECT bytes FROM chunks WHERE file = ? AND position = ?'
      const chunk = this.backend.get(sql, number as number, at)?.['bytes']
      if (!(chunk instanceof Uint8Array)) return undefined
      bytes.set(chunk, at)
    }
    return bytes
  }

  // Removes the oldest.
  #trim(kind: UsageKind, ownerKey: string, maxBytes: number): void {
    const condition = kind === 'files' ? 'WHERE owner_key = ?' : "WHERE '' = ?"
    const oldest = `DELETE FROM files WHERE number = (SELECT number FROM files ${condition} ORDER BY number LIMIT 1)`
    while (readUsage(this.backend, kind, ownerKey).bytes > maxBytes && this.backend.run(oldest, ownerKey) > 0);
  }

  #sweep(): void {
    const expired = `SELECT number FROM files WHERE expires_at <= ? LIMIT ${SWEPT_AT_ONCE}`
    this.backend.run(`DELETE FROM files WHERE number IN (${expired})`, this.#now())
  }
}
