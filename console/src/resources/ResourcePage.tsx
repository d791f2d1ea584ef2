// One resource and its contents.
import type { Resource } from '@modelcontextprotocol/client'
import { useEffect } from 'preact/hooks'
import { isObject } from '../client/json-rpc.ts'
import { type RequestState, useRequest } from '../client/use-request.ts'
import { useStore } from '../client/use-store.ts'
import { ResourceContents } from '../results/ContentView.tsx'
import { Prose, Visible } from '../results/PlainText.tsx'
import { useConsole } from '../shell/context.ts'
import { Heading } from '../shell/Heading.tsx'
import { ProblemView } from '../shell/ProblemView.tsx'

export function ResourcePage({ uri, resource }: { uri: string; resource: Resource | undefined }) {
  const { connection } = useConsole()
  const { status } = useStore(connection.state)
  const [state, send] = useRequest()
  const isConnected = status === 'connected'
  useEffect(() => {
    if (isConnected) void send({ method: 'resources/read', params: { uri } })
  }, [isConnected, send, uri])
  return (
    <>
      <Heading>
        <Visible text={resource?.title ?? resource?.name ?? uri} />
      </Heading>
      <p class="mono">
        <Visible text={uri} />
      </p>
      <Prose text={resource?.description} />
      <p>
        <button type="button" class="button" onClick={() => send({ method: 'resources/read', params: { uri } })}>
          Read again
        </button>
      </p>
      <Contents state={state} />
    </>
  )
}

export function Contents({ state: { status, result, problem } }: { state: RequestState }) {
  if (problem !== undefined) return <ProblemView problem={problem} />
  if (status === 'running') return <p role="status">Reading…</p>
  const contents = result?.['contents']
  if (!Array.isArray(contents)) return null
  return (
    <section class="panel" aria-label="Contents">
      {contents.length === 0 && <p class="hint">It is empty.</p>}
      {contents.filter(isObject).map((each, index) => (
        <ResourceContents key={index} contents={each} />
      ))}
    </section>
  )
}
