// The box of the page: the endpoint, and the shortest way to add it to a client. A radio and CSS choose.
import { type Client, findDeepLink } from '../clients/index.ts'
import { copyButton } from './code.ts'
import { isAppLink } from './connect.ts'
import { type Html, html } from './html.ts'
import type { PageModel } from './model.ts'

export function renderBox({ url, clients, links }: PageModel): Html {
  const quick = clients.filter(({ line, problems }) => line !== undefined && problems.length === 0)
  return html`<div class="box">
<div class="box-part"><h2 class="box-label">Endpoint</h2>
<div class="endpoint endpoint-l"><code id="endpoint" class="mono">${url}</code>${copyButton('endpoint', 'the endpoint')}</div></div>
<div class="box-part"><h2 class="box-label" id="pick-label">Add it to</h2>
<div class="pick" role="radiogroup" aria-labelledby="pick-label">${quick.map(
    ({ id, title }, index) =>
      html`<label><input type="radio" name="pick" id="pick-${id}"${index === 0 && html` checked`}>${title}</label>`,
  )}</div>
${quick.map(client => renderLine(client, links.openApi))}</div>
</div>`
}

const renderLine = (client: Client, openApi: string | undefined): Html =>
  html`<div class="picked picked-${client.id}"><div class="code code-line"><pre id="line-${client.id}" tabindex="0">${client.line}</pre>${copyButton(`line-${client.id}`, `the command of ${client.title}`)}</div>
<p class="hint">${renderHint(client, openApi)}</p></div>
`

function renderHint(client: Client, openApi: string | undefined): Html | string {
  const link = findDeepLink(client)
  if (link !== undefined && isAppLink(link))
    return html`Or <a href="${link}">add it to ${client.title} with one click</a>`
  if (client.id !== 'curl') return 'Run it in a terminal.'
  return html`Plain HTTP, without a client.${openApi !== undefined && html` <a href="${openApi}">OpenAPI</a> has every tool.`}`
}

/** Shows the line of the chosen client. */
export const createBoxStyle = (ids: readonly string[]): string =>
  `${ids.map(id => `.box:has(#pick-${id}:checked) .picked-${id}`).join(',')}{display:block}`
