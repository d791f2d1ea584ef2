// Finds characters that come along with a value by accident. `docker run --env-file` and Kubernetes
// keep the quotes around it; files bring the ends of their lines.

const QUOTED = /^(?:".*"|'.*'|`.*`|“.*”|‘.*’)$/s

/** @returns what the value was expected without; undefined if there is nothing */
export function findStrayMarks(value: string): string | undefined {
  if (QUOTED.test(value.trim())) return 'quotes around it, which docker run --env-file keeps'
  return value === value.trim() ? undefined : 'white space around it, such as the end of a line'
}

/**
 * No setting means anything by quotes or white space around it, so white space is cut. A secret is
 * refused, since others may have it with white space and all.
 *
 * @throws Error that names the expected form, without the value
 */
export function readRawValue(value: string, { isSecret }: { readonly isSecret: boolean }): string {
  const text = isSecret ? value : value.trim()
  const stray = findStrayMarks(text)
  if (stray !== undefined) throw new Error(`expected the value without ${stray}`)
  return text
}
