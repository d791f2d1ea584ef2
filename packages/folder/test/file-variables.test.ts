// Variables of tools that files have: which there are, and what they are set to.
import { join } from 'node:path'
import t from 'tap'
import { tempFolder } from '../../../test/support/tools-folder.ts'
import { findFileVariables, setFromFile } from '../src/file-variables.ts'

const SECRET = 'hush-hush-hush-hush-hush-hush-hush-1'

t.test('each variable of which the file is named, however its value looks', t => {
  const environment = { GITHUB_TOKEN_FILE: '/run/token', OTHER_TOKEN_FILE: 'none', MY_SECRET: 'x', A_FILE: '' }

  t.strictSame(findFileVariables(environment), ['GITHUB_TOKEN', 'OTHER_TOKEN'])
  t.end()
})

t.test('a variable of tools that is set wins over its file', t => {
  const { path } = tempFolder(t, { token: SECRET })
  const environment: NodeJS.ProcessEnv = { A_TOKEN_FILE: join(path, 'token'), B_TOKEN_FILE: join(path, 'none') }

  setFromFile('A_TOKEN', { environment })
  t.equal(environment['A_TOKEN'], SECRET)
  environment['A_TOKEN'] = 'set'
  setFromFile('A_TOKEN', { environment })
  t.equal(environment['A_TOKEN'], 'set')
  t.throws(() => setFromFile('B_TOKEN', { environment }), { message: /^B_TOKEN_FILE: .*\(ENOENT\)$/ })
  t.end()
})
