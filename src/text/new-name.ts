// Distinguishes names that are equal after cleaning or masking.

/** Returns the name, or `name (2)` and so on if the object has it already. */
export function toNewName(members: object, name: string): string {
  let free = name
  for (let ordinal = 2; Object.hasOwn(members, free); ordinal++) free = `${name} (${ordinal})`
  return free
}
