// Names of the files of a result: the server's, but safe here, and with an extension.
import t from 'tap'
import { toContentsFile } from '../../../src/protocol/blocks.ts'
import { createName, toNamedFile } from '../src/client/files.ts'

const nameOf = (uri: string, name?: string, mimeType = 'text/plain') =>
  createName(toNamedFile(toContentsFile({ uri, mimeType, text: '' }), name), 1)

t.test('the name of a link, else the last part of the URI', async t => {
  t.equal(nameOf('toolrack://files/id/M%C3%A4rz%20report.csv', 'März report.csv'), 'März report.csv')
  t.equal(nameOf('toolrack://files/id/M%C3%A4rz%20report.csv'), 'März report.csv')
  t.equal(nameOf('files:///a/logo.png?size=2#top', 'The logo'), 'logo.png')
  t.equal(nameOf('files:///a/logo', 'The logo', 'image/jpeg'), 'The logo.jpg')
  t.equal(nameOf('orders://7', undefined, 'application/json'), '7.json')
  t.equal(nameOf('x:', undefined, 'application/octet-stream'), 'file-1.bin')
})

t.test('a name chooses no folder, hides no file and holds no control character', async t => {
  for (const [name, safe] of [
    ['../../etc/passwd.txt', 'passwd.txt'],
    ['..\\..\\boot.ini', 'boot.ini'],
    ['.bashrc', 'x.txt'],
    ['a\u001b[2Jb.txt', 'a__2Jb.txt'],
    ['con:aux|b.txt', 'con_aux_b.txt'],
    ['..', 'x.txt'],
    [`.${'a'.repeat(200)}.txt`, `${'a'.repeat(96)}.txt`],
    [`${'字'.repeat(90)}.png`, `${'字'.repeat(65)}.png`],
    ['CON.png', '_CON.png'],
    ['nul', 'x.txt'],
    ['console.log', 'console.log'],
    [`${'a'.repeat(100)}.${'b'.repeat(99)}`, 'x.txt'],
  ] as const) {
    t.equal(nameOf('files:///x.txt', name), safe, name)
  }
  t.equal(nameOf('files:///%2e%2e%2f%2e%2e%2fetc%2fpasswd'), 'passwd.txt')
})
