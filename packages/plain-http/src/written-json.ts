// JSON with its numbers as they are written: JSON.parse rounds long ones, and drops the zero of 1.0.

export interface RawJson {
  readonly rawJSON: string
}

// TypeScript declares neither this nor the third argument of a reviver yet.
const { rawJSON } = JSON as unknown as { rawJSON(text: string): RawJson }

/** Like JSON.parse, but keeps each number that JSON.stringify would write in another way. */
export const parseWritten = (text: string): unknown =>
  JSON.parse(text, (_key, value, context?: { source?: string }) =>
    isChanged(value, context?.source) ? rawJSON(context!.source!) : value,
  )

export const isChanged = (value: unknown, source: string | undefined): boolean =>
  typeof value === 'number' && source !== undefined && JSON.stringify(value) !== source
