// Parameters are mirrored into headers by clients of 2026-07-28 only; the check once refused everybody else's calls.
import t from 'tap'
import { defineTool } from '../../../../src/index.ts'
import { session } from '../../../support/client/app-client.ts'
import { LEGACY_VERSIONS } from '../../../support/wire/legacy.ts'

const query = defineTool({
  name: 'query',
  inputSchema: { type: 'object', properties: { region: { type: 'string', 'x-mcp-header': 'Region' } } },
  handler: ({ region }) => `in ${region}`,
})

t.test('a tool with x-mcp-header is called in a session without the header', async t => {
  for (const revision of LEGACY_VERSIONS) {
    const client = await session(t, { tools: [query] }, { revision })

    const { text } = await client.callTool('query', { region: 'eu' })

    t.match(text, 'in eu', revision)
  }
})
