// The pages for browsers: the question to the user, the step to the provider, and errors. Each text
// of a client is escaped, and the page says that the client wrote it.
import { Html, html } from 'toolrack/html'
import { describeTarget, isOnThisDevice } from '../clients/rules.ts'
import { STYLE } from './style.ts'

export interface Question {
  readonly clientName: string
  /** For a client whose id is the URL of its metadata: the host that vouches for the name. */
  readonly clientHost: string | undefined
  readonly redirectUri: string
  readonly resource: string
  readonly scopes: readonly string[]
  readonly providerName: string
  /** Sent back with the answer. */
  readonly csrf: string
}

function layout(title: string, body: Html, head?: Html): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title}</title>
<link rel="icon" href="data:,">
${head}
${Html.style(STYLE)}
</head>
<body>
<main>
<h1>${title}</h1>
${body}
</main>
</body>
</html>
`.toString()
}

export function questionPage(question: Question): string {
  const { clientName, clientHost, redirectUri, resource, scopes, providerName, csrf } = question
  const target = describeTarget(redirectUri)
  const who =
    clientHost === undefined
      ? html`<dt>The app calls itself</dt><dd dir="auto">${clientName}</dd>`
      : html`<dt>The app</dt><dd dir="auto">${clientName}</dd><dt>That name comes from</dt><dd>${clientHost}</dd>`
  return layout(
    `Connect ${clientName}?`,
    html`<p>An app asks for access in your name.</p>
<dl>
${who}
<dt>It wants to use</dt><dd>${resource}</dd>
<dt>The access goes to</dt><dd>${target}</dd>
<dt>The address it goes to</dt><dd>${redirectUri}</dd>
</dl>
<h2>It asks for</h2>
${scopes.length === 0 ? html`<p>access without further rights</p>` : html`<ul>${scopes.map(scope => html`<li>${scope}</li>`)}</ul>`}
${
  isOnThisDevice(redirectUri)
    ? html`<p class="warn">Go on only if you have just started this app on this device.</p>`
    : html`<p class="warn">Go on only if you have just started this at ${target}. Do not go on because of a link that somebody sent you.</p>`
}
<p class="quiet">Next you sign in with ${providerName}.</p>
<form method="post">
<input type="hidden" name="csrf" value="${csrf}">
<button name="answer" value="allow">Allow and sign in</button>
<button name="answer" value="refuse">Refuse</button>
</form>`,
  )
}

/**
 * Goes on by a refresh. Browsers treat a redirect as part of the form, and the policy of the page
 * restricts forms to this server.
 *
 * @param label names the step, for browsers that wait
 */
export function onwardPage(url: URL, label: string): string {
  return layout(
    label,
    html`<p><a href="${url.href}">Go on</a></p>`,
    html`<meta http-equiv="refresh" content="0;url=${url.href}">`,
  )
}

/** @param back where the app waits for an answer; the user decides whether to go there */
export function errorPage(what: string, back?: string): string {
  return layout(
    'This did not work',
    html`<p>${what}</p>
${back !== undefined && html`<p>The app learns of this if you go back: <a href="${back}" rel="noreferrer">${describeTarget(back)}</a></p>`}
<p class="quiet">Go back to the app and start again.</p>`,
  )
}
