// A setting is one row: what a program calls it, its type, its default and its meaning. Rows of
// several files are joined to one table, so that each part of a server can bring its own.
import type { SettingType } from './setting-types.ts'

export interface SettingRow<T, Input = T, Path extends string = string> {
  /** Of options: `rateLimit.max` is `max` in the group `rateLimit`. */
  readonly option: Path
  readonly type: SettingType<T, Input>
  readonly fallback: T
  /** For docs/reference/settings.md, in Markdown. */
  readonly meaning: string
  /** The default in words, if it depends on something. */
  readonly byDefault?: string
  /** Whether others must not see its value, such as in a list of processes. */
  readonly isSecret?: boolean
  /** Whether only a whole server has it: the app around a plugin decides it there. */
  readonly isOfServer?: boolean
}

/** By the variable of the environment: `RATE_LIMIT_MAX`. */
export type SettingRows = Readonly<Record<string, SettingRow<unknown, unknown>>>

type Given<T, Input, Path extends string> = Omit<SettingRow<T, Input, Path>, 'fallback' | 'isOfServer'>

export const setting = <T, Input, const Path extends string>(
  row: Given<T, Input, Path> & { readonly fallback: NoInfer<T> },
): SettingRow<T, Input, Path> => row

/** Without a default. */
export const optional = <T, Input, const Path extends string>(
  row: Given<T, Input, Path>,
): SettingRow<T | undefined, Input, Path> => ({ fallback: undefined, ...row })

/** The row of a setting that only a whole server has. */
export const ofServer = <Row extends SettingRow<unknown, never>>(row: Row): Row & { readonly isOfServer: true } => ({
  ...row,
  isOfServer: true,
})

export interface SettingsSection {
  readonly title: string
  readonly rows: SettingRows
}

/** @throws Error if two rows have the same variable or the same option: an error of whoever made them */
export function joinRows(...tables: readonly SettingRows[]): SettingRows {
  const all = tables.flatMap(rows => Object.entries(rows))
  const names = all.flatMap(([name, { option }]) => [name, option])
  const twice = names.find((name, at) => names.indexOf(name) !== at)
  if (twice !== undefined) throw new Error(`${twice} is the name of two settings`)
  return Object.freeze(Object.fromEntries(all))
}

export type CamelCase<S extends string> = S extends `${infer Head}_${infer Tail}`
  ? `${Lowercase<Head>}${Capitalize<CamelCase<Tail>>}`
  : Lowercase<S>

/** `RATE_LIMIT_MAX` → `rateLimitMax`, as it stands in the settings that are read. */
export const toKey = (name: string): string =>
  name.toLowerCase().replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())

/** The values of rows, by the key of each row. */
export type ValuesOf<Rows> = {
  readonly [N in keyof Rows & string as CamelCase<N>]: Rows[N] extends SettingRow<infer T, never> ? T : never
}

type PathOf<Row> = Row extends { readonly option: infer Path extends string } ? Path : never
type GroupOf<Path> = Path extends `${infer Group}.${string}` ? Group : never
type MemberOf<Path, Group extends string> = Path extends `${Group}.${infer Member}` ? Member : never
type InputOf<Row> = Row extends { readonly type: { read(value: infer Input): unknown } } ? Input : never

type MembersOf<Rows, Group extends string> = {
  [N in keyof Rows as MemberOf<PathOf<Rows[N]>, Group>]?: InputOf<Rows[N]> | undefined
}
/** The value of the row that has the name of a group: `metrics: false`. */
type OwnValueOf<Rows, Group> = {
  [N in keyof Rows]: PathOf<Rows[N]> extends Group ? InputOf<Rows[N]> : never
}[keyof Rows]

type Groups<Rows> = GroupOf<PathOf<Rows[keyof Rows]>>

/** The options that rows stand for. What is undefined is not set. */
export type OptionsOf<Rows> = {
  [N in keyof Rows as Exclude<PathOf<Rows[N]>, `${string}.${string}` | Groups<Rows>>]?: InputOf<Rows[N]> | undefined
} & { [Group in Groups<Rows>]?: MembersOf<Rows, Group> | OwnValueOf<Rows, Group> | undefined }

/** The rows that a plugin has, too. */
export type PluginRows<Rows> = {
  [N in keyof Rows as Rows[N] extends { readonly isOfServer: true } ? never : N]: Rows[N]
}
