// Keeps zod from eval, which the page's policy forbids: the browser would report each attempt. It is
// a separate script before that of the page, because the build may put the MCP client, which uses
// zod, before all other imports.
import { config } from 'zod/v4'

config({ jitless: true })
