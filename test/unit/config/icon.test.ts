// SERVER_ICON: what is taken for an image, and what stops the start.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { findIcon } from '../../../packages/console/src/page/model.ts'
import { MAX_ICON_FILE_BYTES, MAX_ICON_URL, readIcon } from '../../../src/config/icon.ts'
import { tempFolder } from '../../support/tools-folder.ts'

const file = (t: Test, bytes: string | Uint8Array) => {
  const path = join(tempFolder(t).path, 'icon')
  writeFileSync(path, bytes)
  return path
}

const PNG = Buffer.from('89504e470d0a1a0a0000', 'hex')
const IMAGES: readonly (readonly [string, string | Buffer, string])[] = [
  ['PNG', PNG, 'image/png'],
  ['JPEG', Buffer.from('ffd8ffe000104a464946', 'hex'), 'image/jpeg'],
  ['WebP', Buffer.from('RIFF\x24\0\0\0WEBPVP8 ', 'latin1'), 'image/webp'],
  ['SVG', '<svg xmlns="http://www.w3.org/2000/svg"/>', 'image/svg+xml'],
  [
    'SVG behind a declaration',
    '\uFEFF<?xml version="1.0"?>\n<!-- a > b -->\n<!DOCTYPE svg PUBLIC "x" "y" [<!ENTITY a "b">]>\n<svg>\n</svg>',
    'image/svg+xml',
  ],
]

for (const [what, content, mimeType] of IMAGES) {
  t.test(`a file of ${what} becomes a data: URL with its type, whatever its name`, async t => {
    const icon = readIcon(file(t, content))

    const bytes = typeof content === 'string' ? Buffer.from(content.replace(/^\uFEFF/, '')) : content
    t.strictSame(icon, { src: `data:${mimeType};base64,${bytes.toString('base64')}`, mimeType })
  })
}

t.test('a URL stays as it is', async t => {
  t.strictSame(readIcon('https://shop.example/icon.png'), { src: 'https://shop.example/icon.png' })
  t.strictSame(readIcon('data:image/PNG;base64,AAAA'), { src: 'data:image/PNG;base64,AAAA', mimeType: 'image/png' })
  t.strictSame(readIcon('data:image/svg+xml;charset=utf-8,%3Csvg/%3E'), {
    src: 'data:image/svg+xml;charset=utf-8,%3Csvg/%3E',
    mimeType: 'image/svg+xml',
  })
})

for (const value of [
  'http://shop.example/icon.png',
  'file:///icon.png',
  'javascript://x/%0aalert(1)',
  'https://',
  'https://x/a b',
  `https://x/${'a'.repeat(MAX_ICON_URL)}`,
  'data:text/html,<script>',
  'data:image/gif;base64,AAAA',
  'data:image/png;base64,',
  'data:image/png;base64,AA AA',
  `data:image/png;base64,${'A'.repeat(MAX_ICON_URL)}`,
]) {
  t.test(`refused: ${value.slice(0, 40)}`, async t => {
    t.throws(() => readIcon(value), /^expected an https: or data: URL of an image, or the path of a PNG/)
  })
}

t.test('a file that is no such image, or none, is refused', async t => {
  const folder = tempFolder(t).path
  mkdirSync(join(folder, 'icon.png'))

  for (const content of ['', 'GIF89a', '<html><svg></html>', '<!-- <svg>', '<svgx>'])
    t.throws(() => readIcon(file(t, content)), /path of a PNG, JPEG, WebP or SVG file, not another file/, content)
  t.throws(() => readIcon(join(folder, 'missing.png')), { message: /^expected the path of a file .*\(ENOENT\)$/ })
  t.throws(() => readIcon(join(folder, 'icon.png')), { message: 'expected a file' })
})

t.test('the largest file is an icon that the page shows, and one byte more is refused', async t => {
  const large = (size: number) => file(t, Buffer.concat([PNG], size))

  const icon = readIcon(large(MAX_ICON_FILE_BYTES))
  t.equal(findIcon([icon]), icon.src)
  t.throws(() => readIcon(large(MAX_ICON_FILE_BYTES + 1)), { message: 'expected a file of at most 64 KiB' })
})
