// Reads members of GitHub's answers, which may be any JSON.

export function member(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, key) ? Reflect.get(value, key) : undefined
}

export function textMember(value: unknown, key: string): string | undefined {
  const found = member(value, key)
  return typeof found === 'string' ? found : undefined
}

export function listMember(value: unknown, key: string): readonly unknown[] {
  const found = member(value, key)
  return Array.isArray(found) ? found : []
}
