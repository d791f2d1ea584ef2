// All messages between this page and the server, in the style of a browser's network panel.
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { MAX_MESSAGES } from '../client/message-log.ts'
import { useStore } from '../client/use-store.ts'
import { saveFile } from '../parts/download.ts'
import { Icon } from '../parts/Icon.tsx'
import { Scroll } from '../parts/Scroll.tsx'
import { SearchInput } from '../parts/SearchInput.tsx'
import { Segmented } from '../parts/Segmented.tsx'
import { Switch } from '../parts/Switch.tsx'
import { formatNumber } from '../results/format.ts'
import { useConsole } from '../shell/context.ts'
import { PhoneBack } from '../shell/PhoneNav.tsx'
import { Work } from '../shell/Work.tsx'
import { toJsonLines } from './export.ts'
import { MessageDetail } from './MessageDetail.tsx'
import { MessageTable } from './MessageTable.tsx'
import { filterRows, type MessageRow, toRows, type Which } from './rows.ts'

const WHICH = [
  ['all', 'All'],
  ['calls', 'Calls'],
  ['server', 'From the server'],
  ['errors', 'Errors'],
] as const

/** @param name the row with the open detail */
export function MessagesView({ name }: { name?: string | undefined }) {
  const { connection } = useConsole()
  const messages = useStore(connection.log.messages)
  const exchanges = useStore(connection.log.exchanges)
  const rows = useMemo(() => toRows(messages, exchanges), [messages, exchanges])
  const [which, choose] = useState<Which>('all')
  const [query, search] = useState('')
  const found = useMemo(() => filterRows(rows, which, query).toReversed(), [rows, which, query])
  // The newest row when the view was opened, so that new messages do not move those that the user
  // reads.
  const [first] = useState(() => rows.at(-1)?.key)
  const chosen = rows.find(({ key }) => String(key) === (name ?? String(first)))
  return (
    <Work label="Messages" title="Messages" layout="split" pane={name === undefined ? 'list' : 'result'}>
      <PhoneBack section="messages" title="Messages" />
      <section class="pane pane-list" aria-label="Messages of this tab">
        <header class="view-head">
          <h2 class="view-title cut">Messages</h2>
          <div class="end">
            <Segmented label="Which" choices={WHICH} value={which} onChange={each => choose(each)} />
            <ExportButton />
            <button
              type="button"
              class="icon-button"
              aria-label="Clear"
              title="Clear"
              onClick={() => connection.log.clear()}
            >
              <Icon name="trash" />
            </button>
          </div>
        </header>
        <Found
          found={found}
          chosen={chosen?.key}
          query={query}
          onQuery={search}
          count={countShown(found.length, rows.length, messages.length)}
          isFiltered={found.length < rows.length}
        />
      </section>
      <MessageDetail row={chosen} />
    </Work>
  )
}

const countShown = (found: number, rows: number, messages: number): string =>
  found < rows
    ? `${formatNumber(found)} of ${formatNumber(rows)} rows`
    : `${formatNumber(messages)} of at most ${MAX_MESSAGES}`

function ExportButton() {
  const { connection, config } = useConsole()
  const save = () => {
    const { server = config, revision } = connection.state.get()
    const at = Date.now()
    const facts = { server: { name: server.name, version: server.version }, revision, at }
    const name = `messages-${server.name}-${new Date(at).toISOString().slice(0, 19).replaceAll(':', '')}.jsonl`
    saveFile(name, toJsonLines(connection.log.messages.get(), facts), 'application/jsonl')
  }
  const label = 'Download as JSON lines'
  return (
    <button type="button" class="icon-button" aria-label={label} title={label} onClick={save}>
      <Icon name="download" />
    </button>
  )
}

interface FoundProps {
  readonly found: readonly MessageRow[]
  readonly chosen: number | undefined
  readonly query: string
  readonly count: string
  readonly isFiltered: boolean
  onQuery(query: string): void
}

function Found({ found, chosen, query, count, isFiltered, onQuery }: FoundProps) {
  const [follows, follow] = useState(false)
  const newest = found[0]?.key
  const box = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (follows) box.current!.querySelector('.pane-scroll')!.scrollTop = 0
  }, [follows, newest])
  return (
    <div class="messages" ref={box}>
      <div class="filters filters-line">
        <SearchInput label="Filter messages" placeholder="Method, name, text" query={query} hasKey onQuery={onQuery} />
        <Switch isOn={follows} onChange={follow}>
          Follow
        </Switch>
        <span class="faint num filters-count" role="status">
          {count}
        </span>
      </div>
      <Scroll label="Messages">
        {found.length > 0 && <MessageTable rows={found} chosen={chosen} />}
        {found.length === 0 && <NoMessages isFiltered={isFiltered} />}
      </Scroll>
    </div>
  )
}

const NoMessages = ({ isFiltered }: { isFiltered: boolean }) => (
  <div class="empty">
    <strong>{isFiltered ? 'No message matches' : 'No messages'}</strong>
    <p>{isFiltered ? 'Methods, names and texts were searched.' : 'They come with the next request. Call a tool'}</p>
  </div>
)
