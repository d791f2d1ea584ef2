// With access control, the files folder is open to those alone who may read it, whatever the way.
import t from 'tap'
import { build, callTool } from '../../../support/app.ts'
import { bearer, RESOURCE, SECRET } from '../../../support/auth/guarded.ts'
import { errorOf, filesFolder, only } from '../../../support/tools/shipped.ts'

for (const [scope, isRead] of [
  ['database:read', false],
  ['files:write', false],
  ['files:read', true],
] as const) {
  t.test(`analyze_csv: a token with ${scope} ${isRead ? 'reads files' : 'reads no file, and any text'}`, async t => {
    filesFolder(t)
    const guard = { jwt: { secret: SECRET, audience: RESOURCE }, publicUrl: RESOURCE }
    const app = await build(t, { ...(await only('analyze_csv')), ...guard })
    const as = { headers: { ...bearer(scope), host: 'tools.example' } }

    const file = await callTool(app, 'analyze_csv', { filepath: 'data.csv' }, as)
    const text = await callTool(app, 'analyze_csv', { csv: 'a\n1' }, as)

    t.equal(text.structuredContent.rows, 1)
    if (isRead) t.equal(file.structuredContent.rows, 1)
    else t.equal(errorOf(file), 'A filepath needs a token with the scope files:read. Pass the text as csv instead.')
  })
}
