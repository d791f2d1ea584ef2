// What a server that runs serves.
import type { Place } from '../../support/client/transport.ts'
import { ask } from '../../support/replicas/stateless.ts'

export async function toolNames(at: Place): Promise<string[]> {
  const { result } = await ask(at, 'tools/list')
  return result.tools.map(({ name }: { name: string }) => name).sort()
}
