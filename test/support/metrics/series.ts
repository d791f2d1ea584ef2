// What GET /metrics says, parsed: one entry for each series.
import type { FastifyInstance } from 'fastify'

export interface Series {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

const LINE = /^([a-z_:][a-z0-9_:]*)(?:\{(.*)\})? (\S+)$/i
const LABEL = /([a-z_]+)="((?:[^"\\]|\\.)*)"/gi

/** @throws Error where a line is none of the text format */
export function parseSeries(text: string): Series[] {
  return text
    .split('\n')
    .filter(line => line !== '' && !line.startsWith('#'))
    .map(line => {
      const [, name, labels = '', value] = LINE.exec(line) ?? []
      if (name === undefined) throw new Error(`no line of metrics: ${line}`)
      const pairs = [...labels.matchAll(LABEL)].map(([, label, text]) => [label, text])
      return { name, labels: Object.fromEntries(pairs), value: Number(value) }
    })
}

/** Of whom this machine asks. */
export async function textOf(app: FastifyInstance): Promise<string> {
  const { statusCode, body } = await app.inject('/metrics')
  if (statusCode !== 200) throw new Error(`no metrics: ${statusCode} ${body}`)
  return body
}

export const seriesOf = async (app: FastifyInstance): Promise<Series[]> => parseSeries(await textOf(app))

/** Those of one metric that rose: their labels, and how far. */
export async function counted(app: FastifyInstance, name: string): Promise<[Series['labels'], number][]> {
  const found = (await seriesOf(app)).filter(series => series.name === name && series.value > 0)
  return found.map(({ labels, value }) => [{ ...labels }, value])
}

/** @returns the value of the one series that has these labels; undefined where there is none */
export async function valueIn(
  app: FastifyInstance,
  name: string,
  labels: Readonly<Record<string, string>> = {},
): Promise<number | undefined> {
  const has = (series: Series) => Object.entries(labels).every(([label, text]) => series.labels[label] === text)
  const found = (await seriesOf(app)).filter(series => series.name === name && has(series))
  if (found.length > 1) throw new Error(`${found.length} series of ${name} ${JSON.stringify(labels)}`)
  return found[0]?.value
}

/** What tells a series from all others. */
export const keysOf = (series: readonly Series[]): string[] =>
  series.map(({ name, labels }) => `${name} ${JSON.stringify(labels)}`).sort()
