// Spent ids in a map that is bounded: expired ones go first, then the oldest.
import type { Spent } from '../spent.ts'

const MAX_IDS = 100_000

export function memorySpent(now: () => number = Date.now): Spent {
  const expiries = new Map<string, number>()

  function forget(): void {
    const nowMs = now()
    for (const [id, expiresAtMs] of expiries) {
      if (expiresAtMs > nowMs && expiries.size < MAX_IDS) return
      expiries.delete(id)
    }
  }

  return {
    spend(id, expiresAtMs) {
      if (expiries.has(id)) return false
      forget()
      expiries.set(id, expiresAtMs)
      return true
    },
  }
}
