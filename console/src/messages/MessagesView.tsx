// Every JSON-RPC message of this page.
import { useState } from 'preact/hooks'
import { MAX_MESSAGES } from '../client/message-log.ts'
import { useStore } from '../client/use-store.ts'
import { useConsole } from '../shell/context.ts'
import { Heading } from '../shell/Heading.tsx'
import { Search } from '../shell/List.tsx'
import { CallMessages } from './CallMessages.tsx'

export function MessagesView() {
  const { connection } = useConsole()
  const messages = useStore(connection.log.messages)
  const [query, search] = useState('')
  const found = messages.filter(({ summary, text }) => summary.includes(query) || text.includes(query))
  return (
    <>
      <Heading>Messages</Heading>
      <p class="hint">What this page and the server sent each other: the newest {MAX_MESSAGES}, newest first.</p>
      <Search kind="messages" total={messages.length} found={found.length} query={query} onQuery={search}>
        <button type="button" class="button" onClick={() => connection.log.clear()}>
          Clear
        </button>
      </Search>
      <CallMessages messages={found} />
    </>
  )
}
