// Log lines for people where stdout is a terminal; JSON everywhere else.
import type { FastifyServerOptions } from 'fastify'

/** The options of a logger; undefined where the usual one does. */
export async function prettyLogger(level: string): Promise<FastifyServerOptions['logger']> {
  if (!process.stdout.isTTY) return undefined
  const { default: pretty } = await import('pino-pretty')
  return { level, stream: pretty({ ignore: 'pid,hostname', translateTime: 'HH:MM:ss.l' }) }
}
