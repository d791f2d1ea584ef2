// Counters in the text format of Prometheus. Labels have few values, and none that a stranger chooses.
const PREFIX = 'toolrack_broker_'

const COUNTERS = {
  events: { label: 'event', help: 'Sign-ins, tokens, registrations, refusals and endings.' },
  refusals: { label: 'limit', help: 'Requests past a limit of their address, or of a total.' },
  provider_failures: { label: 'kind', help: 'Times that the provider could not be asked, or did not answer rightly.' },
} as const

export type CounterName = keyof typeof COUNTERS

export const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

export class Metrics {
  readonly #counts = new Map<string, number>()

  /** @param value has few distinct values */
  count(name: CounterName, value: string): void {
    const sample = `${PREFIX}${name}_total{${COUNTERS[name].label}="${value}"}`
    this.#counts.set(sample, (this.#counts.get(sample) ?? 0) + 1)
  }

  /** @param gauges the current values */
  toText(gauges: Readonly<Record<string, number>>): string {
    const counters = Object.entries(COUNTERS).flatMap(([name, { help }]) => [
      ...describe(`${PREFIX}${name}_total`, 'counter', help),
      ...[...this.#counts].filter(([sample]) => sample.startsWith(`${PREFIX}${name}_`)).map(each => each.join(' ')),
    ])
    const now = Object.entries(gauges).flatMap(([name, value]) => [`# TYPE ${name} gauge`, `${name} ${value}`])
    return `${[...counters, ...now].join('\n')}\n`
  }
}

const describe = (name: string, type: string, help: string) => [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`]
