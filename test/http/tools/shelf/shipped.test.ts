import t, { type Test } from 'tap'
import { compile } from '../../../../packages/json-schema/src/validator.ts'
import { build, call } from '../../../support/app.ts'
import { everyTool } from '../../../support/tools/every-tool.ts'
import { SHIPPED, setting } from '../../../support/tools/shipped.ts'

interface Listed {
  name: string
  title?: string
  description: string
  inputSchema: { additionalProperties?: boolean }
  outputSchema?: object
  annotations: object
}

async function listed(t: Test): Promise<Listed[]> {
  return (await call(await build(t, SHIPPED), 'tools/list')).result.tools
}

const NEEDS = {
  delete_file: 'FILES_DIR',
  execute_command: 'EXEC_ALLOW',
  github_create_issue: 'GITHUB_TOKEN and GITHUB_REPOSITORY or GITHUB_REPOSITORIES',
  list_files: 'FILES_DIR',
  read_file: 'FILES_DIR',
  web_search: 'SEARCH_URL or BRAVE_API_KEY',
  write_file: 'FILES_DIR',
}

t.test('without a setting the tools that need none are served, and the start-up says what the others need', async t => {
  for (const names of Object.values(NEEDS)) for (const name of names.split(/ and | or /)) setting(t, name, undefined)
  const app = await build(t, SHIPPED)

  const { result } = await call(app, 'tools/list')

  t.strictSame(
    result.tools.map(({ name }: Listed) => name),
    [
      'analyze_csv',
      'calculate_sum',
      'create_record',
      'fetch_page',
      'get_current_time',
      'get_weather',
      'get_weather_data',
      'query_database',
    ],
  )
  t.equal(
    app.toolrack.startUp['tools that need'],
    Object.entries(NEEDS)
      .map(([name, needs]) => `${name}: ${needs}`)
      .join(', '),
  )
  t.strictSame(
    app.logs.lines.filter(({ level }) => level >= 40),
    [],
  )
})

t.test('every shipped tool has a title, an example and an output schema, and takes no unknown argument', async t => {
  await everyTool(t)

  for (const { name, title, description, inputSchema, outputSchema } of await listed(t)) {
    t.ok(title, name)
    t.match(description, /Examples?: \{ "/, name)
    t.ok(outputSchema, name)
    t.equal(inputSchema.additionalProperties, false, name)
  }
})

const reading = { readOnlyHint: true, openWorldHint: false }
const readingOutside = { readOnlyHint: true, openWorldHint: true }
const adding = { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false }

t.test('every shipped tool says truly whether it reads, adds or may destroy, and whether it goes outside', async t => {
  await everyTool(t)

  const tools = await listed(t)

  t.match(Object.fromEntries(tools.map(({ name, annotations }) => [name, annotations])), {
    analyze_csv: reading,
    calculate_sum: reading,
    create_record: { title: 'Create Database Record', ...adding },
    delete_file: {
      title: 'Delete File',
      readOnlyHint: false,
      destructiveHint: true,
      idempotentHint: true,
      openWorldHint: false,
    },
    execute_command: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
    fetch_page: readingOutside,
    get_current_time: reading,
    get_weather: readingOutside,
    get_weather_data: readingOutside,
    github_create_issue: { ...adding, openWorldHint: true },
    list_files: reading,
    query_database: reading,
    read_file: reading,
    web_search: readingOutside,
    write_file: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  })
})

t.test('no value of a shipped tool is without a type, which some clients refuse', async t => {
  for (const { name, inputSchema, outputSchema } of await listed(t))
    t.notMatch(JSON.stringify([inputSchema, outputSchema]), /:\{\}|"\^\(?\.\*/, name)
})

t.test('a record has values of every type, by names that a column may have', async t => {
  const tool = (await listed(t)).find(({ name }) => name === 'create_record')!
  const { isValid } = compile({ ...tool.inputSchema })
  const record = (data: object) => ({ table: 'users', data })

  t.ok(isValid(record({ text: 'a', number: 1, is: true, none: null, list: [[1], {}], json: { a: [] } })))
  t.notOk(isValid(record({ '': 1 })))
  t.notOk(isValid(record({ ['a'.repeat(64)]: 1 })))
})
