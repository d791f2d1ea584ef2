// The page at the endpoint: who the server is, its tools, and how to connect each client.
import { CLIENT_IDS } from '../clients/index.ts'
import { SCRIPT, STYLE } from './assets.ts'
import { createBoxStyle, renderBox } from './box.ts'
import { renderText } from './code.ts'
import { createConnectStyle, renderConnect } from './connect.ts'
import { createPageHeaders } from './headers.ts'
import { Html, html } from './html.ts'
import { icon, MARK, MARK_URL, renderSprite } from './icons.ts'
import type { Offer, PageModel } from './model.ts'
import { renderTools } from './tools.ts'

const WHOLE_STYLE = [STYLE, createBoxStyle(CLIENT_IDS), createConnectStyle(CLIENT_IDS)].join('\n')

export const PAGE_HEADERS = createPageHeaders({ script: SCRIPT, style: WHOLE_STYLE })

export function renderPage(page: PageModel): string {
  const { name, title = name } = page
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${title}</title>
<link rel="icon" href="${page.icon ?? MARK_URL}">
${Html.style(WHOLE_STYLE)}
</head>
<body class="page">
<a class="skip" href="#main">Skip to the content</a>
${renderSprite()}
<div class="page-body">
${renderHero(page, title)}
<main id="main" tabindex="-1">
${renderTools(page)}
${renderConnect(page.clients)}
</main>
${renderFooter(page)}
</div>
<p class="vh" id="said" role="status"></p>
${Html.script(SCRIPT)}
</body>
</html>
`.toString()
}

function renderHero(page: PageModel, title: string): Html {
  const { icon: image, lead = 'An MCP server.', instructions, hints } = page
  return html`<header class="hero">
<div><div class="hero-title">${
    image === undefined ? MARK : html`<img class="mark" src="${image}" alt="" referrerpolicy="no-referrer">`
  }<h1 dir="auto">${title}</h1></div>
<p class="lead" dir="auto">${lead}</p>
${
  instructions !== undefined &&
  html`<details class="instructions"><summary>${icon('right')}Instructions</summary><p dir="auto">${instructions}</p></details>`
}
${renderActions(page)}
${renderCounts(page)}
${hints.map(hint => html`<p class="hint">${renderText(hint)}</p>`)}
</div>
${renderBox(page)}
</header>`
}

function renderActions({ offer, links }: PageModel): Html {
  const { console } = links
  if (console === undefined)
    return html`<div class="hero-actions"><a class="button button-primary button-l" href="#connect">Connect a client</a></div>`
  const words = offer === undefined ? html`${icon('lock')}Sign in to the console` : 'Open console'
  return html`<div class="hero-actions"><a class="button button-primary button-l" href="${console}">${words}</a><a class="button button-l" href="#connect">Connect a client</a></div>`
}

/** Links: tools to the list below, the others to the console. */
function renderCounts({ offer, links }: PageModel): Html {
  if (offer === undefined) return html`<p class="hero-counts">Tools show after you sign in.</p>`
  const link = (count: string, isAny: boolean, href: string | undefined) =>
    isAny && href !== undefined ? html`<a href="${href}">${count}</a>` : count
  const { toolCount, resourceCount, promptCount } = offer
  const inConsole = (section: string) => links.console && `${links.console}#/${section}`
  return html`<p class="hero-counts">${link(describe(offer, 'tool'), toolCount > 0, '#tools')}, ${link(describe(offer, 'resource'), resourceCount > 0, inConsole('resources'))}, ${link(describe(offer, 'prompt'), promptCount > 0, inConsole('prompts'))}</p>`
}

function describe(offer: Offer, noun: 'tool' | 'resource' | 'prompt'): string {
  const count = offer[`${noun}Count`]
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}

function renderFooter({ name, version, toolrackVersion, revisions, websiteUrl, links }: PageModel): Html {
  return html`<footer class="page-footer">
<p>${name} ${version}, served by Toolrack ${toolrackVersion}</p>
<div class="revisions"><span>Protocol revisions</span>${revisions.map(revision => html`<span>${revision}</span>`)}</div>
<ul>${websiteUrl !== undefined && html`<li><a href="${websiteUrl}" rel="noreferrer">Website</a></li>`}${
    links.openApi !== undefined && html`<li><a href="${links.openApi}">OpenAPI</a></li>`
  }<li><a href="https://modelcontextprotocol.io">About MCP</a></li></ul>
</footer>`
}
