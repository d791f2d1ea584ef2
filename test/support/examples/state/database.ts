// A database as the examples of docs/reference/kits/state.md use one.
interface Row {
  readonly id: string
  readonly expiresAtMs?: number
}

export interface Database {
  readonly isUp: boolean
  insertIfAbsent(table: string, row: Row): Promise<boolean>
  delete(table: string, row: Row): Promise<void>
  close(): Promise<void>
}

export async function openDatabase(): Promise<Database> {
  const rows = new Set<string>()
  return {
    isUp: true,
    async insertIfAbsent(table, { id }) {
      const size = rows.size
      return rows.add(`${table} ${id}`).size > size
    },
    async delete(table, { id }) {
      rows.delete(`${table} ${id}`)
    },
    async close() {},
  }
}
