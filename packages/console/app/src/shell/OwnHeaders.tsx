// Rows of names and values, for headers that are sent with every request of the console.
import { findHeaderFault, type OwnHeader } from '../client/own-headers.ts'
import { useStore } from '../client/use-store.ts'
import { Icon } from '../parts/Icon.tsx'
import { useConsole } from './context.ts'

export function OwnHeaders() {
  const { connection } = useConsole()
  const headers = useStore(connection.ownHeaders)
  const change = (at: number, header: OwnHeader) => connection.ownHeaders.set(headers.with(at, header))
  return (
    <fieldset class="own-headers">
      <legend class="label">Own headers</legend>
      {headers.map((header, at) => (
        <Row
          key={at}
          number={at + 1}
          header={header}
          onChange={changed => change(at, changed)}
          onRemove={() => connection.ownHeaders.set(headers.toSpliced(at, 1))}
        />
      ))}
      <button
        type="button"
        class="add"
        onClick={() => connection.ownHeaders.set([...headers, { name: '', value: '' }])}
      >
        <Icon name="plus" />
        Add a header
      </button>
      {headers.length > 0 && <p class="hint">Sent with every request, and gone when the page is</p>}
    </fieldset>
  )
}

interface RowProps {
  readonly number: number
  readonly header: OwnHeader
  onChange(header: OwnHeader): void
  onRemove(): void
}

function Row({ number, header, onChange, onRemove }: RowProps) {
  const fault = findHeaderFault(header)
  const faultId = `own-header-${number}-fault`
  return (
    <>
      <div class="row">
        <input
          class="input input-code"
          aria-label={`Name of header ${number}`}
          placeholder="X-Name"
          spellcheck={false}
          autocomplete="off"
          value={header.name}
          aria-invalid={fault !== undefined}
          aria-describedby={fault && faultId}
          onInput={event => onChange({ ...header, name: event.currentTarget.value })}
        />
        <input
          class="input input-code"
          aria-label={`Value of header ${number}`}
          placeholder="value"
          spellcheck={false}
          autocomplete="off"
          value={header.value}
          onInput={event => onChange({ ...header, value: event.currentTarget.value })}
        />
        <button type="button" class="icon-button" aria-label={`Remove header ${number}`} onClick={onRemove}>
          <Icon name="x" />
        </button>
      </div>
      {fault !== undefined && (
        <p class="error" id={faultId} role="alert">
          <Icon name="alert" />
          {fault}
        </p>
      )}
    </>
  )
}
