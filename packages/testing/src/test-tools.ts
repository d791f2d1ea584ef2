// A server in the process of a test, without a port: every call takes the steps of a real one.
import { fileURLToPath } from 'node:url'
import type { ClientCapabilities, Definition, GetPromptResult, JsonObject, ReadResourceResult } from 'toolrack'
import { FolderSource, formatFailure } from 'toolrack/folder'
import { TASKS_EXTENSION } from 'toolrack/protocol'
import { buildServer, Toolrack } from 'toolrack/server'
import {
  assertToolsDir,
  resolveOptions,
  type ServerOptions,
  type TestDoubles,
  type ToolrackOptions,
} from 'toolrack/settings'
import { type Call, runCall } from './call.ts'
import { type CallResult, toCallResult } from './call-result.ts'
import { type Sender, TestClient } from './client.ts'
import type { Contract, ListedTool } from './contract/contract.ts'
import { toContract } from './contract/contract.ts'
import { assertNoneLacking, explain } from './explain.ts'
import { FakeClock, type TestClock } from './fake-clock.ts'
import { assertCallOptions, assertTestOptions, type CallOptions, type TestOptions } from './options.ts'
import { ProtocolError } from './protocol-error.ts'
import type { ParametersOf, PromptCalls, StructureOf, ToolCalls, TypedCall } from './typed-calls.ts'

const EVERYTHING: ClientCapabilities = Object.freeze({
  roots: {},
  sampling: { tools: {}, context: {} },
  elicitation: { form: {}, url: {} },
  extensions: { [TASKS_EXTENSION]: {} },
})

// A test that ends during a call does not wait for the call, and shows the log of its own runner.
const DEFAULTS: ServerOptions = { watchTools: false, drainMs: 0, logLevel: 'silent', metrics: false }

/**
 * Serves a tools folder, or definitions, inside a test. Close it at the end.
 *
 * @param what a tools folder, a definition, or several
 * @throws Error naming each file that does not load and each definition that cannot be served
 */
// biome-ignore lint/suspicious/noExplicitAny: what a folder has is not known
export async function testTools<D extends Definition = any>(
  what: string | URL | D | readonly D[],
  options: TestOptions = {},
): Promise<TestTools<D>> {
  assertTestOptions(options)
  const clock = options.clock === 'fake' ? new FakeClock() : undefined
  let client: TestClient | undefined
  const doubles = {
    ...(clock !== undefined && { timers: clock }),
    ...createTokenDouble(options),
    listenToTask: (task: Parameters<TestClient['listenToTask']>[0]) => client?.listenToTask(task) ?? task,
  }
  const resolved = resolveOptions({ ...DEFAULTS, ...options.settings, ...toServed(what) })
  assertToolsDir(resolved.toolsDir)
  const app = await buildServer({ ...resolved, doubles }, process.stdout)
  try {
    const runtime = Toolrack.runtime(app.toolrack)
    const folders = resolved.toolsDir && runtime.sources.all.find(each => each instanceof FolderSource)
    if (folders !== undefined) await assertWhole(folders, resolved.toolsDir)
    client = new TestClient(runtime)
    const close = async () => {
      await app.close()
      if (folders !== undefined) assertClosed(folders)
    }
    return new TestTools(client, { options, clock, close })
  } catch (error) {
    await app.close()
    throw error
  }
}

/** Returns none if the test has its own authorization server. */
function createTokenDouble({ tokenFor, settings }: TestOptions): Pick<TestDoubles, 'tokenFor'> {
  if (tokenFor !== undefined) return { tokenFor }
  return settings?.tokenExchange?.clientId === undefined ? { tokenFor: refuseToken } : {}
}

function refuseToken(): never {
  throw new Error('the handler asks for a token; give testTools a tokenFor')
}

function toServed(what: Parameters<typeof testTools>[0]): ToolrackOptions {
  // In a list, since a path may contain a comma.
  if (typeof what === 'string') return { toolsDir: [what] }
  if (what instanceof URL) return { toolsDir: [fileURLToPath(what)] }
  const tools = Array.isArray(what) ? what : [what as Definition]
  if (tools.length === 0) throw new Error('testTools was given no definition')
  return { tools }
}

/** @throws Error with every file and every definition that is not served; also if there are no files */
async function assertWhole(folders: FolderSource, paths: readonly string[] | undefined): Promise<void> {
  // A file may hang without a timer. Then the process would end before the error names the file.
  const alive = setInterval(() => {}, 1000)
  await folders.settled().finally(() => clearInterval(alive))
  const failures = [...folders.errors.map(({ reason }) => reason), ...folders.failures.map(formatFailure)]
  if (failures.length > 0) throw new Error(`The tools folder is not served as it stands:\n${failures.join('\n')}`)
  if (folders.isEmpty) throw new Error(`${paths} has no file of a tool, such as hello.ts; is it the right folder?`)
}

/** @throws Error with every file whose `close` has failed */
function assertClosed({ closeFailures }: FolderSource): void {
  if (closeFailures.length > 0)
    throw new Error(`Tool files could not be closed:\n${closeFailures.map(formatFailure).join('\n')}`)
}

interface TestSetup {
  readonly options: TestOptions
  readonly clock: FakeClock | undefined
  close(): Promise<void>
}

/** Tools that are served inside a test. Without a type argument, of any name and arguments. */
// biome-ignore lint/suspicious/noExplicitAny: any definitions
export class TestTools<D = any> implements AsyncDisposable {
  readonly #client: TestClient
  readonly #options: TestOptions
  readonly #clock: FakeClock | undefined
  readonly #close: () => Promise<void>

  /** Made by `testTools`. @internal */
  constructor(client: TestClient, { options, clock, close }: TestSetup) {
    this.#close = close
    this.#client = client
    this.#options = options
    this.#clock = clock
  }

  /** @throws Error unless it was made with `clock: 'fake'` */
  get clock(): TestClock {
    if (this.#clock === undefined) throw new Error("pass { clock: 'fake' } to testTools to control the time")
    return this.#clock
  }

  /**
   * Calls a tool and waits for its end: through its questions, and through its task.
   *
   * @param options replace those of `testTools`, one by one
   * @throws ProtocolError if the call is refused; QuestionError if a question has no answer
   */
  async call<Name extends string & keyof ToolCalls<D>>(
    name: Name,
    ...rest: ParametersOf<ToolCalls<D>[Name]>
  ): Promise<CallResult<StructureOf<ToolCalls<D>[Name]>>> {
    const [args = {}, options = {}] = rest as unknown as TypedCall<object>['parameters']
    const params = { name, arguments: args }
    return toCallResult(await this.#run('tools/call', params, options))
  }

  /** All tools that the caller sees. */
  async list(options: CallOptions = {}): Promise<ListedTool[]> {
    return (await this.#listAll('tools/list', 'tools', options)) as unknown as ListedTool[]
  }

  /** The resources that the caller sees; templates are not among them. */
  async listResources(options: CallOptions = {}): Promise<JsonObject[]> {
    return this.#listAll('resources/list', 'resources', options)
  }

  async readResource(uri: string, options: CallOptions = {}): Promise<ReadResourceResult> {
    const { result } = await this.#run('resources/read', { uri }, options)
    return result as unknown as ReadResourceResult
  }

  async getPrompt<Name extends string & keyof PromptCalls<D>>(
    name: Name,
    ...rest: ParametersOf<PromptCalls<D>[Name]>
  ): Promise<GetPromptResult> {
    const [args = {}, options = {}] = rest as unknown as TypedCall<object>['parameters']
    const { result } = await this.#run('prompts/get', { name, arguments: args }, options)
    return result as unknown as GetPromptResult
  }

  /**
   * The parts that callers rely on, as `expectContract` keeps them, for tools that the caller sees.
   *
   * @throws Error naming the variables that a tool lacks to be served
   */
  async contract(options: CallOptions = {}): Promise<Contract> {
    const { catalog, access } = this.#client.runtime
    const { caller } = this.#createSender(options)
    const { tools, disabled } = catalog
    assertNoneLacking(disabled.filter(({ entry }) => access.may(caller, entry.scopes)))
    return toContract(await this.list(options), name => tools.find(name))
  }

  /** @throws Error naming each file whose `close` has failed */
  async close(): Promise<void> {
    await this.#close()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }

  async #run(method: Call['method'], params: JsonObject, options: CallOptions) {
    const sender = this.#createSender(options)
    const { answers = this.#options.answers ?? {} } = options
    try {
      return await runCall(this.#client, { method, params, sender, answers })
    } catch (error) {
      throw await explain(error, {
        params,
        caller: sender.caller,
        disabled: this.#client.runtime.catalog.disabled,
        list: () => this.list(options),
      })
    }
  }

  async #listAll(method: string, member: string, options: CallOptions): Promise<JsonObject[]> {
    const sender = this.#createSender(options)
    const entries: JsonObject[] = []
    let page: JsonObject = {}
    do {
      const { nextCursor: cursor } = page
      page = await this.#client.request(method, cursor === undefined ? {} : { cursor }, sender).catch(noneIfNotOffered)
      entries.push(...((page[member] ?? []) as JsonObject[]))
    } while (page['nextCursor'] !== undefined)
    return entries
  }

  #createSender(options: CallOptions): Sender {
    assertCallOptions(options)
    const { caller, capabilities = EVERYTHING, meta = {} } = { ...this.#options, ...options }
    return { caller: caller && { ...caller, scopes: caller.scopes ?? [] }, capabilities, meta }
  }
}

// A server does not offer a list for which it has nothing.
function noneIfNotOffered(error: unknown): JsonObject {
  if (error instanceof ProtocolError && error.reason === 'METHOD_NOT_FOUND') return {}
  throw error
}
