// Keeps zod from eval. The page's policy forbids it, and the browser reports each attempt. Import
// this before the MCP client, which uses zod.
import { config } from 'zod/v4'

config({ jitless: true })
