// What of a page's marks its text keeps, and what of it no reader sees.
import t, { type Test } from 'tap'
import { reading } from '../../../support/tools/reading.ts'
import { html } from '../../../support/tools/web-servers.ts'

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

const ADDRESS = 'https://spy.example/i'

/** Whether a client that shows the text as Markdown, or as HTML, would fetch something unasked. */
const FETCHES = /!\[[^\]]*\][([]|!\[\[|<(?:img|image|video|iframe|link|style|svg|object|input|p style)\b/i

const IMAGES: [what: string, page: string][] = [
  ['an image', `<p>a <img src="${ADDRESS}" alt="b"> c`],
  ['an image whose words hold another', `<p><img alt="![x](${ADDRESS})"> c`],
  ['Markdown in the text', `<p>seen ![x](${ADDRESS}?q=1) more`],
  ['Markdown in the text, by reference', `<p>![x][1] and</p><p>[1]: ${ADDRESS}</p>`],
  ['Markdown of notes', '<p>![[image.png]]'],
  ['a "!" before a link', `<p>Look!<a href="${ADDRESS}">x</a>`],
  ['a "!" before an element before a link', `<p>Look!<b></b><span><a href="${ADDRESS}">x</a></span>`],
  ['a "!" before text of another element', `<p>Look!<b>[x](${ADDRESS})</b>`],
  ['characters that are not seen', `<p>Look!&#x200b;&#x2060;[x](${ADDRESS})`],
  ['escape sequences', `<p>Look!&#x1b;[31m[x](${ADDRESS})`],
  ['code that is no longer shown as code', `<p><code>![x](${ADDRESS})</code>`],
  ['a fence in the text', `<p>\`\`\`</p><p>![x](${ADDRESS})</p>`],
  ['a block of code', `<pre>![x](${ADDRESS})</pre>`],
  ['an address that ends its link', `<p><a href="https://x.example/)![y](${ADDRESS}">t</a>`],
  ['a heading', `<h2>![x](${ADDRESS})</h2>`],
  ['a cell', `<table><tr><td>!<td>[x](${ADDRESS})<td>![x](${ADDRESS})</table>`],
  ['a link around an image', `<a href="https://x.example/">![x](${ADDRESS})</a>`],
  ['a tag as text', `<p>&lt;img src="${ADDRESS}"&gt;`],
  ['a tag as text of several elements', `<p>&lt;<b>img src=${ADDRESS}&gt;</b>`],
  ['a tag with a style', `<p>&lt;p style="background:url(${ADDRESS})"&gt;`],
  ['a tag with a character that is not seen', `<p>&lt;i&#x200b;mg src=${ADDRESS}&gt;`],
  ['a picture', `<picture><source srcset="${ADDRESS}"><img src="${ADDRESS}"></picture>c`],
  ['a video', `<video poster="${ADDRESS}" src="${ADDRESS}"></video>c`],
  ['a drawing', `<svg><image href="${ADDRESS}"/></svg>c`],
  ['a title', `<title>![x](${ADDRESS})</title><p>c`],
  ['a page that is too large for a tree', `<p>![x](${ADDRESS}) &lt;img src=${ADDRESS}&gt;${'<b></b>'.repeat(21_000)}`],
  ['where the page sends its readers', `<meta http-equiv="refresh" content="0; url=/)![x](${ADDRESS}"><p>c`],
]

for (const [what, page] of IMAGES) {
  t.test(`fetch_page: a client that shows its text fetches nothing: ${what}`, async t => {
    const { read } = await reading(t, { '/': html(page) })
    const { content, structuredContent } = await read('/')

    for (const text of [content[0].text, structuredContent.text, structuredContent.title]) {
      t.notMatch(text, FETCHES)
    }
  })
}

t.test('fetch_page: code that has no image stays as it is', async t => {
  const code = '#![allow(unused)]\nlet v = vec![1];\nif (!a[0]) <p>'
  t.equal(
    await textOf(t, `<pre>${code.replace('<', '&lt;')}</pre><p>Use <code>vec![1]</code>`),
    `\`\`\`\n${code}\n\`\`\`\n\nUse \`vec![1]\``,
  )
})

t.test('fetch_page: Markdown is read without its images', async t => {
  const markdown = `# T\n![x](${ADDRESS})\n![y]\n<img src="${ADDRESS}">\n[y]: ${ADDRESS}`
  const { read } = await reading(t, { '/': html(markdown, 'text/markdown') })

  t.equal(
    (await read('/')).structuredContent.text,
    `# T\n! [x](${ADDRESS})\n! [y]\n< img src="${ADDRESS}">\n[y]: ${ADDRESS}`,
  )
})
