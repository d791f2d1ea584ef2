// How clients connect: cards in groups, and the steps of the client that the address names. Uses
// only CSS.
import { type Client, describeWay, groupClients, type Step } from '../clients/index.ts'
import { renderCode, renderText } from './code.ts'
import { type Html, html } from './html.ts'
import { icon } from './icons.ts'

export function renderConnect(clients: readonly Client[]): Html {
  const groups = groupClients(clients)
  return html`<section class="page-section" id="connect">
<div class="section-head"><h2>Connect a client</h2></div>
<div class="page-connect"><div>${groups.map(
    ({ id, title, clients }) => html`<section class="group">
<h3 class="group-head">${icon(id)}${title}</h3>
<ul class="client-cards">${clients.map(renderCard)}</ul>
</section>
`,
  )}</div>
<div class="page-steps">
${groups.flatMap(group => group.clients).map(renderClient)}
</div></div>
</section>`
}

const renderCard = (client: Client): Html =>
  html`<li><a class="${client.problems.length > 0 ? 'client client-off' : 'client'}" href="#connect-${client.id}"><strong>${client.title}</strong><span>${describeWay(client)}</span></a></li>
`

/** The first client shows until the address names another. */
function renderClient({ id, title, steps, problems, limits, docs }: Client): Html {
  return html`<article class="page-client card" id="connect-${id}">
<h3>${title}</h3>
${problems.map(
  problem =>
    html`<div class="note note-warning">${icon('alert')}<div class="stack-4"><p><strong>${renderText(problem.title)}</strong></p><p>${renderText(problem.text)}</p></div></div>`,
)}
<ol class="steps">
${steps.map((step, index) => renderStep(step, { id: `code-${id}-${index + 1}`, title }))}</ol>
<div class="after-steps"><h4>What to know</h4><ul class="limits">${limits.map(
    limit => html`<li>${renderText(limit)}</li>`,
  )}<li><a href="${docs}" rel="noreferrer">Documentation of ${title}</a></li></ul></div>
</article>
`
}

function renderStep(
  { title, text, snippet, link }: Step,
  client: { readonly id: string; readonly title: string },
): Html {
  const sentences = text === undefined ? undefined : html`<p class="muted">${renderText(text)}</p>`
  const isLink = link !== undefined && isAppLink(link)
  return html`<li><h4>${title}</h4>${
    isLink
      ? html`<p class="row row-wrap"><a class="button button-primary" href="${link}">Add to ${client.title}${icon('external')}</a>${text !== undefined && html`<span class="muted">${renderText(text)}</span>`}</p>`
      : undefined
  }${snippet !== undefined && renderCode({ id: client.id, snippet })}${!isLink && sentences}</li>
`
}

/** Links that open a program. They run nothing in the page. */
export const isAppLink = (link: string): boolean => /^(?:cursor|vscode):/.test(link)

/** Shows the steps of the chosen client, and marks its card. */
export function createConnectStyle(ids: readonly string[]): string {
  const [first] = ids
  const card = (id: string) => `.page-connect:has(#connect-${id}:target) [href="#connect-${id}"]`
  const chosen = [`.page-connect:not(:has(:target)) [href="#connect-${first}"]`, ...ids.map(card)]
  const look =
    'border-color:var(--accent);border-style:solid;background:var(--accent-soft);box-shadow:inset 0 0 0 1px var(--accent)'
  return `${chosen.join(',')}{${look}}@media (forced-colors:active){${chosen.join(',')}{outline:2px solid Highlight}}`
}
