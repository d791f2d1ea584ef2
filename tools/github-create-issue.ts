import { defineTool, Type, text } from 'toolrack'
import { filer } from './_github/issues.ts'
import { digestOf } from './_github/marker.ts'
import { githubOf } from './_github/settings.ts'

const GITHUB = githubOf(process.env)
const file = filer(GITHUB)

export default defineTool({
  name: 'github_create_issue',
  title: 'Create GitHub issue',
  description:
    'Files an issue on GitHub and returns its number and address. A call with the same arguments, or with the same ' +
    'idempotencyKey, does not file a second one but returns the first with "isNew": false, so a call that failed may be ' +
    'repeated. Example: { "title": "Login fails", "body": "Steps: …", "labels": ["bug"] } gives { "number": 7, "url": ' +
    '"https://github.com/octo/app/issues/7", "isNew": true, … }.',
  inputSchema: Type.Object(
    {
      title: Type.String({
        minLength: 1,
        maxLength: 256,
        pattern: '^[^\\s\\u0000-\\u001f\\u007f][^\\u0000-\\u001f\\u007f]*$',
        description: 'One line, which does not begin with a space',
      }),
      body: Type.Optional(
        Type.String({
          maxLength: 60_000,
          pattern: '^[^\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\u007f]*$',
          description: 'Markdown; default empty',
        }),
      ),
      labels: Type.Optional(
        Type.Array(Type.String({ minLength: 1, maxLength: 50, pattern: '^[^\\u0000-\\u001f\\u007f]*$' }), {
          maxItems: 20,
          uniqueItems: true,
          description: 'Names of labels that the repository has; default none',
        }),
      ),
      repository: Type.Optional(
        Type.Unsafe<string>({
          type: 'string',
          maxLength: 201,
          ...(GITHUB.repositories.length > 0 && { enum: GITHUB.repositories, default: GITHUB.repositories[0] }),
          description: 'owner/name; default the first of those that are allowed',
        }),
      ),
      idempotencyKey: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 200,
          description: 'Stands for this issue and no other; default made of the other arguments',
        }),
      ),
    },
    { additionalProperties: false },
  ),
  text: 'both',
  outputSchema: Type.Object({
    number: Type.Integer(),
    url: Type.String({ description: 'Its page' }),
    title: Type.String(),
    repository: Type.String({ description: 'owner/name' }),
    isNew: Type.Boolean({ description: 'false: it had been filed before' }),
    labels: Type.Array(Type.String(), { description: 'Those that it has; GitHub drops what the token may not set' }),
  }),
  // An annotation holds for every call, and only a call with a key is certainly idempotent: without
  // one, the same issue in other words is filed again.
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
  requires: ['GITHUB_TOKEN', ['GITHUB_REPOSITORY', 'GITHUB_REPOSITORIES']],
  settings: ['GITHUB_API_URL'],
  scopes: ['issues:write'],
  timeout: 40_000,
  rateLimit: { max: 20, timeWindow: '1 minute' },
  concurrency: 8,
  async handler({ title, body = '', labels = [], repository = GITHUB.repositories[0]!, idempotencyKey }, ctx) {
    const content = digestOf(title, body, labels)
    // Equal keys of two callers are distinct.
    const { issuer, subject } = ctx.caller ?? {}
    const key = digestOf(repository.toLowerCase(), issuer, subject, idempotencyKey ?? ['content', content])
    const { issue, isNew } = await file({ repository, title, body, labels }, { key, content }, ctx.signal)
    return {
      content: [text(`${isNew ? 'Filed' : 'Had been filed before'}: ${repository}#${issue.number} ${issue.url}`)],
      structuredContent: { ...issue, repository, isNew },
    }
  },
})
