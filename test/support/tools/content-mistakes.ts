// Mistakes that authors of prompts and resources make, and what the log says of each.
import { type Mistake, prompt, resource } from './mistake.ts'

export const CONTENT_MISTAKES: readonly Mistake[] = [
  {
    mistake: 'the argsSchema of a prompt',
    files: prompt('argsSchema: { id: z.string(), note: z.string().optional() }'),
    says: `argsSchema is not a known property; write arguments: [{ name: 'id', required: true }, { name: 'note' }]`,
  },
  {
    mistake: 'a schema as the arguments of a prompt',
    files: prompt('arguments: z.object({ id: z.string(), note: z.string().optional() })'),
    says: `arguments must be array; write arguments: [{ name: 'id', required: true }, { name: 'note' }]`,
  },
  {
    mistake: 'JSON Schema as the arguments of a prompt',
    files: prompt(`arguments: { type: 'object', properties: { id: {}, note: {} }, required: ['id'] }`),
    says: `write arguments: [{ name: 'id', required: true }, { name: 'note' }]`,
  },
  {
    mistake: 'names as the arguments of a prompt',
    files: prompt(`arguments: ['id', 'note']`),
    says: `arguments.0 must be object; write arguments: [{ name: 'id', required: true }, { name: 'note', required: true }]`,
  },
  {
    mistake: 'one argument that is no list',
    files: prompt(`arguments: { name: 'id' }`),
    says: `arguments must be array; write arguments: [{ name: 'id' }]`,
  },
  {
    mistake: 'a name that two arguments of a prompt have',
    files: prompt(`arguments: [{ name: 'size' }, { name: 'size' }]`),
    says: 'arguments.1.name: size is already defined in the same prompt; rename or remove one',
  },
  ...[
    [`enum: ['s', 'm']`, `write complete: value => ['s', 'm'].filter(each => each.startsWith(value))`],
    [`options: ['1', '2', '3', '4', '5', '6']`, `['1', '2', '3', '4', '5', …].filter(each => each.startsWith(value))`],
    [`type: 'string'`, 'arguments.0.type is not a known property; leave it away: each argument is a text'],
    [`default: 's'`, 'leave it away, and do so in the handler'],
    ['optional: true', 'write required: false'],
    [`desciption: 'Of the shirt.'`, 'did you mean description?'],
    [`label: 'Size'`, 'did you mean title?'],
    [
      `complete: ['s', 'm']`,
      `not an array; write complete: value => ['s', 'm'].filter(each => each.startsWith(value))`,
    ],
    [
      `complete: 's'`,
      `complete must be a function, not a string; write complete: value => […].filter(each => each.startsWith(value))`,
    ],
  ].map(([member, says]) => ({
    mistake: `${member} in an argument of a prompt`,
    files: prompt(`arguments: [{ name: 'size', ${member} }]`),
    says: says!,
  })),
  {
    mistake: 'an argument of a prompt without a name',
    files: prompt(`arguments: [{ description: 'The size.' }]`),
    says: `arguments.0.name is required; write { name: 'code' }`,
  },
  ...[
    ['users://:id', 'users://{id}'],
    ['users://:id/posts/:post', 'users://{id}/posts/{post}'],
    ['users://[id]', 'users://{id}'],
    ['docs://[...path]', 'docs://{+path}'],
    [`users://\${id}`, 'users://{id}'],
    ['users://{{id}}', 'users://{id}'],
    ['users://<int:id>', 'users://{id}'],
    ['users://{user-id}', 'users://{user_id}'],
    ['docs://*', 'docs://{+path}'],
    ['docs://{path*}', 'docs://{+path}'],
    ['docs://{path...}', 'docs://{+path}'],
    ['users://all{?q,max}', 'users://all?q={q}&max={max}'],
  ].map(([written, meant]) => ({
    mistake: `the template ${written}`,
    files: resource(`uriTemplate: ${JSON.stringify(written)}`),
    says: `; write uriTemplate: '${meant}'`,
  })),
  {
    mistake: 'a variable of Express in a URI',
    files: resource(`uri: 'users://:id'`),
    says: `uri: a variable is written {name}; write uriTemplate: 'users://{id}'`,
  },
  {
    mistake: 'a path with a variable of Express as a URI',
    files: resource(`uri: '/users/:id'`),
    says: `write uriTemplate: 'users://{id}'`,
  },
  {
    mistake: 'a list as the completion of a variable',
    files: resource(`uriTemplate: 'users://{id}', complete: { id: ['1'] }`),
    says: `complete.id must be a function, not an array; write id: value => ['1'].filter(each => each.startsWith(value))`,
  },
  {
    mistake: 'completion of a misspelt variable',
    files: resource(`uriTemplate: 'users://{userId}', complete: { userid: () => [] }`),
    says: 'complete.userid is not a variable; did you mean userId?',
  },
  {
    mistake: 'completion of a fixed URI',
    files: resource(`uri: 'users://all', complete: { id: () => [] }`),
    says: 'complete.id is not a variable; only a uriTemplate with variables has completion',
  },
  {
    mistake: 'one function as the completion of a template',
    files: resource(`uriTemplate: 'users://{id}', complete: () => []`),
    says: `complete must be object; write complete: { id: value => […] }, by the template's variables`,
  },
  { mistake: 'a template as a URI', files: resource(`uri: 'docs://{id}'`), says: 'did you mean uriTemplate?' },
  {
    mistake: 'a path with a variable as a URI',
    files: resource(`uri: '/docs/{id}'`),
    says: `did you mean uriTemplate: 'docs://{id}'?`,
  },
  { mistake: 'a path as a URI', files: resource(`uri: '/docs/style'`), says: 'add a scheme: docs://style' },
  { mistake: 'a word as a URI', files: resource(`uri: 'style'`), says: 'add a scheme: docs://style' },
  {
    mistake: 'a URI with a blank',
    files: resource(`uri: 'docs://style guide'`),
    says: `write uri: 'docs://style%20guide'`,
  },
  { mistake: 'a URL as a URI', files: resource(`uri: new URL('docs://style')`), says: `write uri: 'docs://style'` },
  {
    mistake: 'a path as a template',
    files: resource(`uriTemplate: '/docs/{id}'`),
    says: 'add a scheme: docs://{id}',
  },
  { mistake: 'no URI', files: resource(''), says: `needs either uri or uriTemplate; write uri: 'docs://style'` },
  {
    mistake: 'a MIME type of one word',
    files: resource(`uri: 'docs://style', mimeType: 'markdown'`),
    says: `it has two parts: write mimeType: 'text/markdown'`,
  },
]
