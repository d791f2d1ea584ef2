import { DatabaseSync } from 'node:sqlite'

export let reader: DatabaseSync
export let writer: DatabaseSync

export function setup() {
  const path = process.env['SHOP_FILE'] ?? 'shop.db'
  writer = new DatabaseSync(path, { timeout: 2_000 })
  writer.exec(`
    PRAGMA journal_mode = WAL;
    CREATE TABLE IF NOT EXISTS products (sku TEXT PRIMARY KEY, name TEXT, stock INTEGER) STRICT;
    CREATE TABLE IF NOT EXISTS reservations (id INTEGER PRIMARY KEY, sku TEXT, quantity INTEGER) STRICT;
    INSERT OR IGNORE INTO products VALUES ('LAMP-1', 'Desk lamp', 3), ('CHAIR-1', 'Chair', 0);
  `)
  reader = new DatabaseSync(path, { readOnly: true, timeout: 2_000 })
}

export function close() {
  reader?.close()
  writer?.close()
}
