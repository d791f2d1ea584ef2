// Keeps zod from eval. The page's policy forbids it, and the browser reports each attempt. It is a script of its own,
// before that of the page: the build may put the MCP client, which uses zod, before all other imports.
import { config } from 'zod/v4'

config({ jitless: true })
