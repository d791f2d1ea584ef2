// Finds variables in the URI of a resource that are written as in other frameworks. Here they would be
// plain text.

const NAME = '[A-Za-z_][\\w-]*'

/** How other frameworks write a variable, and how it is written here. */
const FORMS: readonly [written: RegExp, here: string][] = [
  // {{id}} of templates, ${id} of JavaScript.
  [new RegExp(`\\$?\\{\\{\\s*(${NAME})\\s*\\}\\}`, 'g'), '{$1}'],
  [new RegExp(`\\$\\{(${NAME})\\}`, 'g'), '{$1}'],
  // {path*}, {*path}, {path...}, {path:path} and the like take the rest.
  [new RegExp(`\\{\\*(${NAME})\\}|\\{(${NAME})(?:\\*|\\.\\.\\.|:path)\\}`, 'g'), '{+$1$2}'],
  [new RegExp(`\\[\\[?\\.\\.\\.(${NAME})\\]\\]?|<path:(${NAME})>`, 'g'), '{+$1$2}'],
  [new RegExp(`(?<=/):(${NAME})[*+]|(?<=/)\\*(${NAME})`, 'g'), '{+$1$2}'],
  [/(?<=\/)\*+(?=$|\/)/g, '{+path}'],
  // /:id of Express, [id] of Next.js, <int:id> of Flask, {id:3} and {id?}.
  [new RegExp(`(?<=/):(${NAME})\\??`, 'g'), '{$1}'],
  [new RegExp(`\\[(${NAME})\\]|<(?:\\w+:)?(${NAME})>`, 'g'), '{$1$2}'],
  [new RegExp(`\\{(${NAME})(?::[^{}/]*|\\?)\\}`, 'g'), '{$1}'],
  // Operators of RFC 6570 that have no meaning here.
  [new RegExp(`\\{([/#.])(${NAME})\\}`, 'g'), '$1{$2}'],
]
const QUERY = /\{([?&])([\w-]+(?:,[\w-]+)*)\}/g
const EXPRESSION = /\{(\+?)([\w-]+)\}/g

/** @returns the same text if nothing in it looks like a variable of another framework */
export function toTemplate(uri: string): string {
  const written = FORMS.reduce((text, [form, here]) => text.replace(form, here), uri)
  return written
    .replace(QUERY, (_, start: string, names: string) => {
      const pairs = names.split(',').map(name => `${name}={${name}}`)
      return `${start}${pairs.join('&')}`
    })
    .replace(EXPRESSION, (_, plus: string, name: string) => `{${plus}${name.replaceAll('-', '_')}}`)
}

/** @returns undefined if the URI has no variable as another framework writes it */
export function findVariableFix(uri: string): string | undefined {
  const template = toTemplate(uri)
  return template === uri ? undefined : `write uriTemplate: '${template}'`
}
