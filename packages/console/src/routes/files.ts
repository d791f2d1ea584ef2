// The files of the built console. Opened at the first request, because most servers never get one.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import Fastify, { type FastifyError, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { MAX_STALL_MS, setIdleTimeout } from 'toolrack/http'

/** A name with a hash of the content, so that the file never changes. */
const HASHED = /[\\/]assets[\\/][^\\/]+-[A-Z0-9]{8}\.\w+(?:\.br|\.gz)?$/
const FOR_A_YEAR = 'public, max-age=31536000, immutable'

export interface ConsoleFilesOptions {
  readonly folder: string
  /** The prefix of the paths, such as `/console/`. */
  readonly prefix: string
}

export class ConsoleFiles {
  readonly #options: ConsoleFilesOptions
  #opened: Promise<FastifyInstance> | undefined

  constructor(options: ConsoleFilesOptions) {
    this.#options = options
  }

  async serve({ raw }: FastifyRequest, reply: FastifyReply): Promise<FastifyReply | undefined> {
    // Checked each time, since it may be built while the server runs.
    if (!existsSync(join(this.#options.folder, 'index.html')))
      return sendText(reply, 503, 'The console is not built. Run: npm run build')
    this.#opened ??= openFiles(this.#options)
    const files = await this.#opened
    reply.hijack()
    for (const [name, value] of Object.entries(reply.getHeaders()))
      if (value !== undefined) reply.raw.setHeader(name, value)
    setIdleTimeout(reply.raw, MAX_STALL_MS)
    files.routing(raw, reply.raw)
    return undefined
  }

  async close(): Promise<void> {
    await (await this.#opened)?.close()
  }
}

/** A separate app, because Fastify accepts no plugin once it listens. */
async function openFiles({ folder, prefix }: ConsoleFilesOptions): Promise<FastifyInstance> {
  const { default: staticFiles } = await import('@fastify/static')
  const app = Fastify({ logger: false })
  app.setNotFoundHandler((_request, reply) => sendText(reply, 404, 'The console has no such file.'))
  app.setErrorHandler<FastifyError>(({ statusCode = 500 }, _request, reply) =>
    statusCode < 500
      ? sendText(reply, 404, 'The console has no such file.')
      : sendText(reply, 500, 'The file of the console cannot be read.'),
  )
  await app.register(staticFiles, {
    root: folder,
    prefix,
    decorateReply: false,
    preCompressed: true,
    dotfiles: 'ignore',
    cacheControl: false,
    setHeaders: (reply, path) => void reply.header('cache-control', HASHED.test(path) ? FOR_A_YEAR : 'no-cache'),
  })
  await app.ready()
  return app
}

const sendText = (reply: FastifyReply, status: number, text: string): FastifyReply =>
  reply.code(status).type('text/plain; charset=utf-8').header('cache-control', 'no-store').send(`${text}\n`)
