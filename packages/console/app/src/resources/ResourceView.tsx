// The answer of a read resource: its content, its JSON, its raw messages.
import { useState } from 'preact/hooks'
import { isObject, type JsonObject } from '../client/json-rpc.ts'
import { type RequestState, useMessages } from '../client/use-request.ts'
import { CallMessages } from '../messages/CallMessages.tsx'
import { JsonText } from '../parts/JsonText.tsx'
import { TabPanel, Tabs } from '../parts/Tabs.tsx'
import { Visible } from '../parts/Visible.tsx'
import { ResourceContents } from '../results/ContentView.tsx'
import { fromBase64, toMediaType } from '../results/files.ts'
import { formatBytes, formatDuration } from '../results/format.ts'
import { Markdown } from '../results/Markdown.tsx'
import { ErrorBoundary } from '../shell/ErrorBoundary.tsx'
import { ProblemView } from '../shell/ProblemView.tsx'

type View = 'content' | 'json' | 'messages'

/** Number of lines that are drawn at first, and for each "more". */
const LINES = 500

export function ResourceView({ state }: { state: RequestState }) {
  const [view, show] = useState<View>('content')
  const messages = useMessages(state)
  const contents = readContents(state)
  const tabs = [
    { id: 'content', label: 'Content' },
    { id: 'json', label: 'JSON' },
    { id: 'messages', label: 'Messages', count: messages.length },
  ] as const
  return (
    <>
      <div class="pane-bar">
        <Tabs<View> label="Views of the resource" tabs={tabs} chosen={view} panelId="resource" onChoose={show} />
        <span class="faint num hide-phone" role="status">
          {describe(state, contents)}
        </span>
      </div>
      <TabPanel id="resource" chosen={view}>
        {state.problem !== undefined && <ProblemView problem={state.problem} />}
        {view === 'content' && (
          <ErrorBoundary>
            {state.status === 'done' && contents.length === 0 && <p class="empty">It is empty</p>}
            {contents.map((each, index) => (
              <Content key={index} contents={each} />
            ))}
          </ErrorBoundary>
        )}
        {view === 'json' && state.result !== undefined && (
          <pre class="plain">
            <JsonText text={JSON.stringify(state.result)} />
          </pre>
        )}
        {view === 'messages' && <CallMessages messages={messages} />}
      </TabPanel>
    </>
  )
}

export function readContents({ result }: RequestState): readonly JsonObject[] {
  const contents = result?.['contents']
  return Array.isArray(contents) ? contents.filter(isObject) : []
}

/** `text/plain · 4.2 KB · 3 ms` */
function describe({ status, tookMs }: RequestState, contents: readonly JsonObject[]): string {
  if (status === 'running') return 'Reading'
  if (status !== 'done' || tookMs === undefined) return ''
  const types = [...new Set(contents.map(({ mimeType }) => toMediaType(mimeType)))].filter(Boolean)
  const bytes = contents.reduce((sum, each) => sum + measure(each), 0)
  return [...types, formatBytes(bytes), formatDuration(tookMs)].join(' · ')
}

function measure({ text, blob }: JsonObject): number {
  if (typeof text === 'string') return new TextEncoder().encode(text).length
  return fromBase64(blob)?.length ?? 0
}

function Content({ contents }: { contents: JsonObject }) {
  const { text, mimeType } = contents
  const type = toMediaType(mimeType)
  if (typeof text !== 'string' || type === 'application/json') return <ResourceContents contents={contents} />
  return type === 'text/markdown' ? <Markdown text={text} /> : <Lines text={text} />
}

function Lines({ text }: { text: string }) {
  const lines = text.replace(/\n$/, '').split('\n')
  const [limit, setLimit] = useState(LINES)
  return (
    <>
      <ol class="lines">
        {lines.slice(0, limit).map((line, index) => (
          <li key={index}>
            <span>
              <Visible text={line} />
            </span>
          </li>
        ))}
      </ol>
      {lines.length > limit && (
        <button type="button" class="button button-s" onClick={() => setLimit(limit + LINES)}>
          {Math.min(LINES, lines.length - limit)} more
        </button>
      )}
    </>
  )
}
