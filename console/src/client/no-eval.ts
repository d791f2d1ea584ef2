// Imported before the MCP client: the page's policy forbids code from text, and zod would try it, and be reported.
import { config } from 'zod/v4'

config({ jitless: true })
