// One resource: its description and its contents. It is read as soon as the user opens it.
import { useEffect, useState } from 'preact/hooks'
import type { RequestState } from '../client/use-request.ts'
import { useRequest } from '../client/use-request.ts'
import { useStore } from '../client/use-store.ts'
import { CopyButton } from '../parts/CopyButton.tsx'
import { saveFile } from '../parts/download.ts'
import { Icon } from '../parts/Icon.tsx'
import { Switch } from '../parts/Switch.tsx'
import { Visible } from '../parts/Visible.tsx'
import { fromBase64 } from '../results/files.ts'
import { InlineText } from '../results/Markdown.tsx'
import { useConsole } from '../shell/context.ts'
import { ResourceView, readContents } from './ResourceView.tsx'

interface Props {
  readonly uri: string
  readonly title: string
  readonly description?: string | undefined
}

export function ResourcePane({ uri, title, description }: Props) {
  const { connection } = useConsole()
  const { status } = useStore(connection.state)
  const [state, send] = useRequest()
  const isConnected = status === 'connected'
  const read = () => void send({ method: 'resources/read', params: { uri } })
  useEffect(() => {
    if (isConnected) void send({ method: 'resources/read', params: { uri } })
  }, [isConnected, send, uri])
  return (
    <section class="pane pane-result" aria-label={uri}>
      <header class="view-head">
        <div class="grow">
          <h2 class="view-title cut">
            <Visible text={title} />
          </h2>
          <p class="faint mono cut">
            <Visible text={uri} />
          </p>
        </div>
        <div class="end">
          <Follow uri={uri} onChanged={read} />
          <CopyButton text={uri} label="Copy URI" words="Copy URI" />
          <button type="button" class="icon-button" aria-label="Read again" title="Read again" onClick={read}>
            <Icon name="refresh" />
          </button>
          <Download uri={uri} state={state} />
        </div>
      </header>
      {description !== undefined && (
        <p class="pane-note muted">
          <InlineText text={description} />
        </p>
      )}
      <ResourceView state={state} />
    </section>
  )
}

/** Reads it again whenever the server reports a change. */
function Follow({ uri, onChanged }: { uri: string; onChanged(): void }) {
  const { connection } = useConsole()
  const { capabilities, status } = useStore(connection.state)
  const [isOn, turn] = useState(false)
  const isActive = isOn && status === 'connected'
  useEffect(() => {
    if (!isActive) return
    let end: (() => void) | undefined
    let isOver = false
    const stop = connection.onMessage(({ method, params }) => {
      if (method === 'notifications/resources/updated' && params?.['uri'] === uri) onChanged()
    })
    connection
      .watch(uri)
      .then(ending => {
        if (isOver) ending()
        else end = ending
      })
      // The server has refused; its answer is in the messages.
      .catch(() => turn(false))
    return () => {
      isOver = true
      stop()
      end?.()
    }
  }, [connection, isActive, uri])
  if (capabilities?.resources?.subscribe !== true) return null
  return (
    <span class="hide-phone">
      <Switch isOn={isOn} onChange={turn}>
        Follow changes
      </Switch>
    </span>
  )
}

function Download({ uri, state }: { uri: string; state: RequestState }) {
  const [contents] = readContents(state)
  const content = typeof contents?.['text'] === 'string' ? contents['text'] : fromBase64(contents?.['blob'])
  if (contents === undefined || content === undefined) return null
  const type = contents['text'] === undefined ? 'application/octet-stream' : 'text/plain'
  return (
    <button
      type="button"
      class="icon-button"
      aria-label="Download"
      title="Download"
      onClick={() => saveFile(uri, content, type)}
    >
      <Icon name="download" />
    </button>
  )
}
