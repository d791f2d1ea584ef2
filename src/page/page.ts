// The page at the endpoint: what the server is, its tools, and how to connect each client.
import type { Client } from '../clients/index.ts'
import { createPageHeaders } from './headers.ts'
import { Html, html } from './html.ts'
import { MAX_TOOLS, type Offer, type PageModel, type PageTool } from './model.ts'
import { STYLE } from './style.ts'

export const PAGE_HEADERS = createPageHeaders(STYLE)

export function renderPage(page: PageModel): string {
  const { name, title = name } = page
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title}</title>
<link rel="icon" href="data:,">
${Html.style(STYLE)}
</head>
<body>
${renderHeader(page, title)}
<main>
${page.instructions !== undefined && html`<h2>Instructions</h2><p class="text" dir="auto">${page.instructions}</p>`}
<h2>Tools</h2>
${page.offer === undefined ? renderTokenHint(page) : renderOffer(page.offer)}
<h2>Connect a client</h2>
${page.clients.map(renderClient)}
</main>
</body>
</html>
`.toString()
}

function renderHeader(page: PageModel, title: string): Html {
  const { name, version, icon, description, websiteUrl, url, revisions, offer, links } = page
  const { console, openApi } = links
  return html`<header><div class="name">
${icon !== undefined && html`<img src="${icon}" alt="" referrerpolicy="no-referrer">`}
<div><h1 dir="auto">${title}</h1><p class="quiet">${name} ${version}, an MCP server</p></div></div>
${description !== undefined && html`<p class="text" dir="auto">${description}</p>`}
<dl>
<dt>Endpoint</dt><dd><code>${url}</code></dd>
<dt>Revisions</dt><dd>${revisions.join(', ')}</dd>
${offer !== undefined && html`<dt>Offers</dt><dd>${describeOffer(offer)}</dd>`}
</dl>
</header>
<nav aria-label="Pages of this server"><ul>
${websiteUrl !== undefined && html`<li><a href="${websiteUrl}" rel="noreferrer">Website of ${title}</a></li>`}
${console !== undefined && html`<li><a href="${console}">Console: call tools from the browser</a></li>`}
${openApi !== undefined && html`<li><a href="${openApi}">OpenAPI of the plain HTTP door</a></li>`}
<li><a href="https://modelcontextprotocol.io">About MCP</a></li>
</ul></nav>`
}

function describeOffer({ toolCount, resourceCount, promptCount }: Offer): string {
  return [count(toolCount, 'tool'), count(resourceCount, 'resource'), count(promptCount, 'prompt')].join(', ')
}

const count = (number: number, noun: string) => `${number} ${noun}${number === 1 ? '' : 's'}`

function renderTokenHint({ links }: PageModel): Html {
  return html`<p>This server asks for a token, so it shows its tools only to those who have one.</p>
<p>${
    links.console === undefined
      ? 'Send the token in the header Authorization: Bearer, as a client does.'
      : html`<a href="${links.console}">Open the console</a> to sign in, or to paste a token.`
  }</p>`
}

function renderOffer({ tools, toolCount }: Offer): Html {
  if (toolCount === 0) return html`<p>There are none yet.</p>`
  return html`${
    toolCount > MAX_TOOLS && html`<p>The first ${MAX_TOOLS} of ${toolCount}. A client lists them all.</p>`
  }<ul class="tools">${tools.map(renderTool)}</ul>`
}

function renderTool({ name, title, description, signature, isReadOnly, isDestructive }: PageTool): Html {
  return html`<li><h3>${title !== undefined && html`<bdi>${title}</bdi> `}<code>${name}</code>${
    isReadOnly && html` <span class="mark">reads only</span>`
  }${isDestructive && html` <span class="mark warn">destructive</span>`}</h3>
<p><code>${signature}</code></p>
${description !== undefined && html`<p class="text" dir="auto">${description}</p>`}</li>
`
}

function renderClient({ title, steps, snippets, deepLink, problems, needs, limits, docs }: Client): Html {
  return html`<details><summary>${title}</summary><div>
${problems.map(({ text, fix }) => html`<p class="warn">${text}</p><p>${fix}</p>`)}
${needs.length > 0 && html`<p class="quiet">Needs ${needs.join(', ')}.</p>`}
${deepLink !== undefined && isAppLink(deepLink) && html`<p><a href="${deepLink}">Add this server to ${title}</a></p>`}
<ol>${steps.map(step => html`<li>${step}</li>`)}</ol>
${snippets.map(
  ({ title, file, text }) =>
    html`<h3>${title}${file !== undefined && html` <code>${file}</code>`}</h3><pre tabindex="0">${text}</pre>`,
)}
${limits.length > 0 && html`<ul>${limits.map(limit => html`<li>${limit}</li>`)}</ul>`}
<p><a href="${docs}" rel="noreferrer">Documentation of ${title}</a></p>
</div></details>
`
}

const isAppLink = (link: string) => /^(?:cursor|vscode|https):/.test(link)
