// What a page shows comes from tools, which may be hostile: it is text, and nothing of it runs or loads.
import t from 'tap'
import { defineTool } from '../../../src/index.ts'
import { build } from '../../support/app.ts'
import { PAYLOADS } from '../../support/console/payloads.ts'

/** Elements and attributes that a page has; whatever else is there came from a payload. */
const ELEMENTS = new Set(
  (
    'html head meta title link style body header div h1 h2 h3 h4 p ul li a main section article footer code span details summary ' +
    'ol pre strong button label input script svg symbol path rect circle use'
  ).split(' '),
)
const ATTRIBUTES = new Set(
  (
    'lang charset name content class dir href rel tabindex id type role title checked data-copy aria-label aria-hidden ' +
    'aria-labelledby viewBox d x y width height rx cx cy r'
  ).split(' '),
)

/** The tags of a page as a parser of HTML would find them: what follows a `<`, but in the style. */
function readTags(page: string): { element: string; attributes: string[]; links: string[] }[] {
  const body = page
    .replace(/<style>[^<]*<\/style>/, '<style></style>')
    .replace(/<script>[^<]*<\/script>/, '<script></script>')
    .replace('<!doctype html>', '')
  return [...body.matchAll(/<(\/?)([^\s>]*?)((?:\s+[^\s=>/]+(?:="[^"]*")?)*)\s*\/?>|</g)].map(
    ([all, , element, rest = '']) => {
      if (element === undefined) throw new Error(`a tag that is none: ${all}`)
      const attributes = [...rest.matchAll(/([^\s=]+)(?:="([^"]*)")?/g)]
      const links = attributes.filter(([, name]) => name === 'href' || name === 'src').map(([, , value = '']) => value)
      return { element, attributes: attributes.map(([, name]) => name!), links }
    },
  )
}

t.test('B34: HTML, scripts and links of tools are shown as text', async t => {
  for (const [at, payload] of PAYLOADS.entries()) {
    const fit = (max: number) => payload.replaceAll('\0', '').slice(0, max).toWellFormed()
    const app = await build(t, {
      name: fit(128),
      title: fit(200),
      version: fit(64),
      instructions: fit(8192),
      tools: [
        defineTool({
          name: 'hostile',
          title: payload,
          description: payload,
          annotations: { title: payload },
          inputSchema: {
            type: 'object',
            properties: { [payload]: { type: 'string', enum: [payload], default: payload } },
          },
          outputSchema: { type: 'object', properties: { [payload]: { const: payload } } },
          handler: () => ({}),
        }),
      ],
    })
    const { statusCode, headers, body } = await app.inject({ url: '/', headers: { accept: 'text/html' } })

    t.equal(statusCode, 200, `payload ${at}`)
    t.match(
      headers['content-security-policy'],
      /^default-src 'none'; script-src 'sha256-[^']+'; style-src 'sha256-[^']+'; img-src https: data:;/,
    )
    t.notMatch(headers['content-security-policy'], /unsafe/)
    t.equal(body.match(/<script/g)?.length, 1)
    const tags = readTags(body)
    t.strictSame(
      {
        elements: tags.map(({ element }) => element).filter(name => !ELEMENTS.has(name)),
        attributes: tags.flatMap(({ attributes }) => attributes).filter(name => !ATTRIBUTES.has(name)),
        links: tags
          .flatMap(({ links }) => links)
          .filter(link => !/^(?:\.\/|https:\/\/|cursor:|vscode:|data:image\/svg\+xml,|#)/.test(link)),
        controls: body.match(/[\u0000\u001b\u202a-\u202e]/g) ?? [],
      },
      { elements: [], attributes: [], links: [], controls: [] },
      `payload ${at}`,
    )
    t.match(body, /<code>hostile<\/code>/, `payload ${at}`)
    await app.close()
  }
})

t.test('B34: an icon is an https: or data: image, or none', async t => {
  const shown = async (...sources: string[]) => {
    const app = await build(t, { icons: sources.map(src => ({ src })) })
    const { body } = await app.inject({ url: '/', headers: { accept: 'text/html' } })
    return /<img class="mark" src="([^"]*)"/.exec(body)?.[1]
  }

  t.equal(await shown('https://rack.example/a.png'), 'https://rack.example/a.png')
  t.equal(await shown('data:image/png;base64,iVBORw0KGgo='), 'data:image/png;base64,iVBORw0KGgo=')
  t.equal(await shown('http://rack.example/a.png', 'https://rack.example/b.png'), 'https://rack.example/b.png')
  for (const src of [
    'http://rack.example/a.png',
    'data:text/html,alert(1)',
    'data:text/javascript,alert(1)',
    `data:image/png;base64,${'A'.repeat(100_000)}`,
  ])
    t.equal(await shown(src), undefined, src.slice(0, 60))
  await t.rejects(build(t, { icons: [{ src: 'javascript:alert(1)' }] }), /icons/)
})
