// The tools of the page, in groups by what they may do. Each is a link to its form in the console.
// If there are none, or the caller may not see them yet, shows what to do instead.
import type { Snippet } from '../clients/index.ts'
import { renderCode, renderText } from './code.ts'
import { type Html, html } from './html.ts'
import { icon } from './icons.ts'
import { type FirstTool, MAX_TOOLS, type Offer, type PageModel, type PageTool, type ToolKind } from './model.ts'

const GROUPS: Readonly<Record<ToolKind, string>> = {
  'read-only': 'Read only',
  changes: 'Make changes',
  destructive: 'Destructive',
}

export function renderTools({ offer, links, signInHosts }: PageModel): Html {
  if (offer === undefined) return renderTokenCard(signInHosts)
  if (offer.firstTool !== undefined) return renderFirstTool(offer.firstTool)
  return html`<section class="page-section" id="tools">
<div class="section-head"><h2>Tools</h2><span class="count">${offer.toolCount}</span></div>
${renderBounds(offer, links.console)}
${Object.entries(GROUPS).map(([kind, title]) =>
  renderGroup(
    title,
    offer.tools.filter(tool => tool.kind === kind),
    links.console,
  ),
)}
</section>`
}

function renderBounds({ toolCount }: Offer, console: string | undefined): Html | undefined {
  if (toolCount === 0) return html`<p class="muted">You may see none of them. Another token may grant more.</p>`
  if (toolCount <= MAX_TOOLS) return undefined
  const rest =
    console === undefined ? 'A client lists them all.' : html`<a href="${console}">The console</a> has them all.`
  return html`<p class="muted">The first ${MAX_TOOLS} of ${toolCount}. ${rest}</p>`
}

function renderGroup(title: string, tools: readonly PageTool[], console: string | undefined): Html | undefined {
  if (tools.length === 0) return undefined
  return html`<div class="group">
<h3 class="group-head">${title}<span class="count">${tools.length}</span></h3>
<ul class="tool-rows">${tools.map(tool => (console === undefined ? renderFolded(tool) : renderLink(tool, console)))}</ul>
</div>
`
}

const renderLink = (tool: PageTool, console: string): Html =>
  html`<li><a class="tool-row" href="${console}#/tools/${encodeURIComponent(tool.name)}">${renderRow(tool)}</a></li>
`

/** Without a console, the row has the facts that a program needs. */
const renderFolded = (tool: PageTool): Html => html`<li><details><summary class="tool-row">${renderRow(tool)}</summary>
<div class="tool-call"><p><code>${tool.signature}</code></p>
${
  tool.curl !== undefined &&
  renderCode({
    id: `call-${tool.name}`,
    snippet: { language: 'sh', text: tool.curl },
    label: `the call of ${tool.name}`,
  })
}</div></details></li>
`

const renderRow = ({ name, summary, kind, isTask, scopes }: PageTool): Html =>
  html`<code>${name}</code><span class="text" dir="auto">${renderText(summary)}</span><span class="badges">${
    isTask && html`<span class="badge">${icon('task', 12)}task</span>`
  }${scopes.map(
    scope => html`<span class="badge" title="Needs this scope">${icon('lock', 12)}<code>${scope}</code></span>`,
  )}${kind === 'destructive' && html`<span class="badge badge-danger">${icon('alert', 12)}destructive</span>`}</span>`

function renderTokenCard(hosts: readonly string[]): Html {
  const way =
    hosts.length === 0
      ? 'Every client sends the header below.'
      : html`A client that can sign in does so by itself, at ${hosts.map((host, index) => html`${index > 0 && ' or '}<code>${host}</code>`)}. Every other client sends the header below.`
  return html`<section class="page-section" id="tools">
<div class="notice-card">${icon('lock', 20)}<div class="grow stack-8">
<h2>This server needs a token</h2>
<p class="muted">It shows its tools to those who have one. ${way}</p>
<div class="code code-line"><pre id="header" tabindex="0">Authorization: Bearer <span class="tok-p">your token or API key</span></pre></div>
<p class="muted">You have none? Ask whoever runs this server.</p>
</div></div>
</section>`
}

const FIRST_TOOL: Snippet = {
  language: 'ts',
  file: 'tools/greet.ts',
  text: `import { defineTool, Type } from 'toolrack'

export default defineTool({
  name: 'greet',
  description: 'Greets somebody by name.',
  inputSchema: Type.Object({ name: Type.String() }),
  handler: ({ name }) => \`Hello, \${name}!\`,
})`,
}

function renderFirstTool({ folder }: FirstTool): Html {
  const lead =
    folder === undefined
      ? 'Import this file, and hand it to the server: `tools: [greet]`.'
      : `Save this file in \`${folder}\`. It is served at once, without a restart, and this page shows it when you load it again.`
  const file = folder === undefined ? 'greet.ts' : `${folder}greet.ts`
  return html`<section class="page-section" id="tools">
<div class="section-head"><h2>Write the first tool</h2></div>
<p class="muted page-lead">${renderText(lead)}</p>
${renderCode({ id: 'first-tool', snippet: { ...FIRST_TOOL, file } })}
</section>`
}
