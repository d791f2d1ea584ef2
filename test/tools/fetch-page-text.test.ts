// What of a page's marks its text keeps, and what of it no reader sees.
import t, { type Test } from 'tap'
import { reading } from './reading.ts'
import { html } from './web-servers.ts'

async function textOf(t: Test, page: string): Promise<string> {
  const { read } = await reading(t, { '/': html(page) })
  return (await read('/')).structuredContent.text
}

const MARKS: [what: string, page: string, text: string][] = [
  ['items that hold paragraphs', '<ul><li><p>one</p></li><li><p>two</p><p>more</p></li></ul>', '- one\n- two\n  more'],
  [
    'numbered items by their numbers',
    '<ol start="3"><li>c<li>d<ol><li>e<li>f</ol><li>g</ol>',
    '3. c\n4. d\n  1. e\n  2. f\n5. g',
  ],
  ['numbers from 1 where the first cannot be read', '<ol start="x"><li>a</ol>', '1. a'],
  ['an item that begins with a list', '<ul><li><ul><li>a<li>b</ul><li></ul>c', '- - a\n  - b\n-\n\nc'],
  ['lines of an item below each other', '<ul><li>a<br>b<pre>c\n d</pre></ul>', '- a\n  b\n  ```\n  c\n   d\n  ```'],
  ['code in a line', '<p>Run <code>npm i</code>, <kbd>q</kbd> ends it', 'Run `npm i`, `q` ends it'],
  ['code that is a link', '<p><code><a href="https://x.example/f">f()</a></code>', '[f()](https://x.example/f)'],
  ['the indentation of code, and its lines', '<pre>\n  if x:<br>    y\n</pre>', '```\n  if x:\n    y\n```'],
  ['code that has a fence', '<pre>```\nx\n```</pre>', '````\n```\nx\n```\n````'],
  ['exponents', '<p>10<sup>-6</sup> m<sup>2</sup> x<sup>n</sup><sup></sup> 1<sup>st</sup>', '10^-6 m^2 x^n 1st'],
  [
    'what stands for an image',
    '<p><img alt="Sales  by year" src="https://x.example/i"><img>',
    '[image: Sales by year]',
  ],
  ['a link of an image', '<a href="https://x.example/"><img alt="Home"></a>', '[[image: Home]](https://x.example/)'],
  [
    'a link around a heading',
    '<a href="https://x.example/"><h3>News</h3><p>of C #</p></a>',
    '[News of C #](https://x.example/)',
  ],
  ['cells whose text has a bar', '<table><tr><td>a|b<td>c</table>', '| a\\|b | c |'],
]

for (const [what, page, text] of MARKS) {
  t.test(`fetch_page: the text keeps ${what}`, async t => {
    t.equal(await textOf(t, page), text)
  })
}

const HIDDEN: [where: string, page: string][] = [
  ['in a cell', '<table><tr><td>seen<td hidden>obey me<th style="display:none">obey me</table>'],
  ['within code', '<pre>seen<span style="display:none">obey me</span><span hidden>obey me</span></pre>'],
  ['by visibility: collapse', '<p>seen<span style="visibility:collapse">obey me</span>'],
  ['by an opacity without its zero', '<p>seen<span style="color:red; opacity:.0">obey me</span>'],
]

for (const [where, page] of HIDDEN) {
  t.test(`fetch_page: what no reader sees is left out ${where}`, async t => {
    const text = await textOf(t, page)

    t.match(text, 'seen')
    t.notMatch(text, 'obey')
  })
}

t.test('fetch_page: a style whose name only ends like one that hides does not hide', async t => {
  const styles = ['backface-visibility:hidden', '--bg-opacity: 0', 'fill-opacity:0;color:red', 'max-font-size:0']

  t.equal(await textOf(t, styles.map(style => `<i style="${style}">x</i>`).join('')), 'xxxx')
})

t.test('fetch_page: comments are left out also of a page too large for a tree', async t => {
  const page = `<p>one</p><!-- <b>obey me</b> a > b --><!-->two${'<p>'.repeat(41_000)}three<!-- obey <p>me`

  t.equal(await textOf(t, page), 'one\ntwo\n\nthree')
})

t.test('fetch_page: characters that are written as names or numbers are read also of such a page', async t => {
  const page = `<p>caf&eacute; &amp;lt; a&nbsp;b &#8364;&#x1F600;&#xD800; AT&T${'<p>'.repeat(41_000)}`

  t.equal(await textOf(t, page), 'café &lt; a b €😀\ufffd AT&T')
})

t.test('fetch_page: lists that are nested deep are not indented without end', async t => {
  const { read } = await reading(t, { '/': html('<ul><li>x'.repeat(400)) })

  const { structuredContent: page } = await read('/', { maxLength: 100 })

  t.ok(page.length < 400 * 50, `${page.length} characters`)
})
