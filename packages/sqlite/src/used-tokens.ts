// Used tokens in the file.
import { MAX_USED_TOKENS, type UsedTokens } from 'toolrack/stores'
import type { StateFile } from './file.ts'
import { readUsage } from './usage.ts'

const SWEPT_AT_ONCE = 5000

export interface UsedTokensOptions {
  readonly maxTokens?: number
  readonly now?: () => number
}

export class SqliteUsedTokens implements UsedTokens {
  readonly backend: StateFile
  readonly #maxTokens: number
  readonly #now: () => number

  constructor(file: StateFile, { maxTokens = MAX_USED_TOKENS, now = Date.now }: UsedTokensOptions = {}) {
    this.backend = file
    this.#maxTokens = maxTokens
    this.#now = now
    file.addChores({ sweep: () => this.#sweep() })
  }

  consumeOnce(id: string, expiresAtMs: number): boolean {
    const sql = `INSERT INTO used_tokens (id, expires_at) VALUES (?, ?)
      ON CONFLICT (id) DO UPDATE SET expires_at = excluded.expires_at WHERE expires_at <= ?`
    return this.backend.run(sql, id, expiresAtMs, this.#now()) === 1
  }

  release(id: string): void {
    this.backend.run('DELETE FROM used_tokens WHERE id = ?', id)
  }

  // The oldest go past the bound.
  #sweep(): void {
    const rows = 'DELETE FROM used_tokens WHERE number IN (SELECT number FROM used_tokens'
    this.backend.run(`${rows} WHERE expires_at <= ? LIMIT ${SWEPT_AT_ONCE})`, this.#now())
    const over = readUsage(this.backend, 'used tokens*').count - this.#maxTokens
    if (over > 0) this.backend.run(`${rows} ORDER BY number LIMIT ?)`, over)
  }
}
