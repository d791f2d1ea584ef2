// The files of a new project.
import { MIN_NODE } from 'toolrack/node'
import { readPackageVersion } from 'toolrack/settings'

/** The same versions that check this package. */
const DEV_DEPENDENCIES = { '@types/node': '^24.19.2', typescript: '^7.0.2' } as const

/** By path. */
export const createProjectFiles = (name: string): Readonly<Record<string, string>> => ({
  'package.json': toJson(createPackage(name)),
  'tsconfig.json': toJson(TSCONFIG),
  'tools/greet.ts': TOOL,
  'tools/greet.test.ts': TEST,
  Dockerfile: DOCKERFILE,
  '.dockerignore': toLines('node_modules', '.git', '**/*.test.ts', '*.log', ...SECRET_FILES),
  '.gitignore': toLines('node_modules/', '*.log', ...SECRET_FILES),
  'README.md': createReadme(name),
})

/** Files that the documentation tells users to create beside the tools, such as keys.json. */
const SECRET_FILES = ['.env', '.env.*', 'tools.env', 'secrets', 'api-keys', 'keys.json', 'keys.json.*', '*.pem']

const toLines = (...lines: readonly string[]) => `${lines.join('\n')}\n`

const toJson = (value: object) => `${JSON.stringify(value, undefined, 2)}\n`

const createPackage = (name: string) => ({
  name,
  version: '0.1.0',
  private: true,
  type: 'module',
  engines: { node: `>=${MIN_NODE}` },
  scripts: {
    start: 'toolrack start',
    dev: 'toolrack dev',
    test: 'node --test',
    check: 'tsc && toolrack check',
  },
  dependencies: { toolrack: `^${readPackageVersion()}` },
  devDependencies: DEV_DEPENDENCIES,
})

const TSCONFIG = {
  compilerOptions: {
    target: 'es2024',
    module: 'nodenext',
    types: ['node'],
    strict: true,
    noUncheckedIndexedAccess: true,
    exactOptionalPropertyTypes: true,
    // Node runs the files as they are, without their types.
    erasableSyntaxOnly: true,
    verbatimModuleSyntax: true,
    allowImportingTsExtensions: true,
    skipLibCheck: true,
    noEmit: true,
  },
  include: ['tools'],
}

/** The first line is empty, and each other has two spaces before it. */
const outdent = (text: string) => text.slice(1).replace(/^ {2}/gm, '')

const TOOL = outdent(`
  import { defineTool, Type } from 'toolrack'

  export default defineTool({
    name: 'greet',
    description: 'Greets somebody by name. Example: { "name": "Ada" }.',
    inputSchema: Type.Object({
      name: Type.String({ description: 'Who is greeted', minLength: 1, maxLength: 100 }),
    }),
    outputSchema: Type.Object({ greeting: Type.String() }),
    annotations: { readOnlyHint: true },
    handler: ({ name }) => ({ greeting: \`Hello, \${name}!\` }),
  })
`)

const TEST = outdent(`
  import assert from 'node:assert/strict'
  import { test } from 'node:test'
  import { testTools } from 'toolrack/testing'
  import greet from './greet.ts'

  test('it greets by name', async () => {
    const tools = await testTools(greet)

    const { structuredContent } = await tools.call('greet', { name: 'Ada' })

    assert.deepEqual(structuredContent, { greeting: 'Hello, Ada!' })
    await tools.close()
  })

  test('it refuses a name that is empty', async () => {
    const tools = await testTools(greet)

    const { isError } = await tools.call('greet', { name: '' })

    assert.equal(isError, true)
    await tools.close()
  })
`)

const DOCKERFILE = `# docker build -t my-tools .
# docker run -p 127.0.0.1:3000:3000 -e ALLOW_ANONYMOUS=true my-tools
# Where others can reach it, set JWT_ISSUER, JWT_SECRET or API_KEYS_FILE instead of ALLOW_ANONYMOUS.
FROM node:24-slim
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000
WORKDIR /app
COPY package*.json ./
RUN npm install --omit=dev
COPY --chown=node:node tools ./tools
USER node
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s \\
  CMD ["bash", "-c", "exec 3<> /dev/tcp/127.0.0.1/$PORT; printf 'GET /ready HTTP/1.1\\\\r\\\\nHost: localhost\\\\r\\\\nConnection: close\\\\r\\\\n\\\\r\\\\n' >&3; read -r _ status _ <&3; [ \\"$status\\" = 200 ]"]
CMD ["node_modules/.bin/toolrack"]
`

const createReadme = (name: string) => `# ${name}

Tools for agents, served over the Model Context Protocol by [Toolrack](https://www.npmjs.com/package/toolrack).

\`\`\`sh
npm install
npm run dev      # serves tools/ at http://127.0.0.1:3000/mcp, and follows changes
npm test         # the tests beside the tools
npm run check    # types, and whether every tool loads
npm start        # serves tools/; with NODE_ENV=production as in production
\`\`\`

A file in \`tools/\` is a tool. \`tools/greet.ts\` is the first one; copy it to write the next.
`
