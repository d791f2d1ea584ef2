// What the dashboard asks Prometheus, as Grafana would ask it.
import { readFileSync } from 'node:fs'

export interface Target {
  readonly expr: string
  readonly refId: string
  readonly legendFormat: string
  readonly datasource: { readonly type: string; readonly uid: string }
}

export interface Panel {
  readonly id: number
  readonly type: string
  readonly title: string
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number }
  readonly datasource?: Target['datasource']
  readonly targets?: readonly Target[]
}

interface Variable {
  readonly name: string
  readonly type: string
  readonly query: string | { readonly query: string }
}

export interface Dashboard {
  readonly uid: string
  readonly title: string
  readonly schemaVersion: number
  readonly panels: readonly Panel[]
  readonly templating: { readonly list: readonly Variable[] }
}

export const dashboardOf = (path: string): Dashboard => JSON.parse(readFileSync(path, 'utf8'))

/** What Grafana puts in place of its variables where all is chosen. */
const FILLED: Readonly<Record<string, string>> = { $job: 'toolrack', $instance: '.*', $__rate_interval: '10s' }

export function expressionsOf(path: string): { title: string; expression: string }[] {
  return dashboardOf(path).panels.flatMap(({ title, targets = [] }) =>
    targets.map(({ expr }) => ({ title, expression: fill(expr) })),
  )
}

/** @throws Error where a variable is used that is none */
function fill(expression: string): string {
  return expression.replace(/\$\w+/g, name => {
    const value = FILLED[name]
    if (value === undefined) throw new Error(`${name} is no variable: ${expression}`)
    return value
  })
}

const LABEL_VALUES = /^label_values\((.*), (\w+)\)$/

export function variablesOf(path: string): { name: string; metric: string; label: string }[] {
  const asked = dashboardOf(path).templating.list.filter(({ type }) => type === 'query')
  return asked.map(({ name, query }) => {
    const text = typeof query === 'string' ? query : query.query
    const [, metric, label] = LABEL_VALUES.exec(text) ?? []
    if (metric === undefined || label === undefined) throw new Error(`not understood: ${text}`)
    return { name, metric: fill(metric), label }
  })
}
