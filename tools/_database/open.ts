// Opens the database of the settings, or the embedded one.
import type { Database } from './database.ts'
import { openEmbedded } from './embedded.ts'
import { openPostgres } from './postgres.ts'
import { settings } from './settings.ts'

export const database: Database = settings.url === undefined ? openEmbedded() : openPostgres(settings.url, settings)
