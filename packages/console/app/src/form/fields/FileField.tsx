// Content of a file as base64: dropped or chosen. Only this page knows the name.
import { useRef, useState } from 'preact/hooks'
import { Icon } from '../../parts/Icon.tsx'
import { Visible } from '../../parts/Visible.tsx'
import { toVisible } from '../../parts/visible-text.ts'
import { formatBytes } from '../../results/format.ts'
import { Frame, type KindProps, nameField, useFieldId } from '../Frame.tsx'

interface Chosen {
  readonly name: string
  readonly type: string
  /** The content as base64. If the value differs, it is another file. */
  readonly base64: string
}

export function FileField(field: KindProps) {
  const { node, value, at, onChange } = field
  const ownId = useFieldId(field)
  const [chosen, choose] = useState<Chosen>()
  const [fault, setFault] = useState<string>()
  const [isOver, setOver] = useState(false)
  const input = useRef<HTMLInputElement>(null)
  const take = async (file: File | undefined) => {
    setOver(false)
    if (file === undefined) return
    try {
      const base64 = await readBase64(file)
      setFault(undefined)
      choose({ name: file.name, type: file.type, base64 })
      onChange(at, base64)
    } catch (error) {
      setFault(`${file.name} cannot be read: ${(error as Error).message}`)
    }
  }
  const remove = () => {
    onChange(at, undefined)
    // The button that had the focus no longer exists.
    requestAnimationFrame(() => document.getElementById(ownId)?.focus())
  }
  const drop = (event: DragEvent) => {
    event.preventDefault()
    void take(event.dataTransfer?.files[0])
  }
  const over = (event: DragEvent) => {
    event.preventDefault()
    setOver(true)
  }
  const { contentMediaType } = node
  // A row starts with an empty text, and returns to it: then no file is chosen.
  const isHeld = typeof value === 'string' && (field.label === undefined || value !== '')
  const label = `Choose a file for ${toVisible(field.label ?? nameField(field, node).name)}`
  return (
    <Frame field={field} isGroup note={fault} hasLeaveOut={false}>
      {({ id, describedBy, isInvalid }) =>
        isHeld ? (
          <Held value={value} chosen={chosen} onRemove={remove} />
        ) : (
          // biome-ignore lint/a11y/noStaticElementInteractions: the button does the same by keyboard
          <div
            class={isOver ? 'drop is-over' : 'drop'}
            onDrop={drop}
            onDragOver={over}
            onDragLeave={() => setOver(false)}
          >
            <Icon name="upload" />
            <span class="grow">Drop a file here</span>
            <button
              type="button"
              class="button button-s"
              id={id}
              aria-describedby={describedBy}
              onClick={() => input.current?.click()}
            >
              Choose
            </button>
            <input
              ref={input}
              class="vh"
              type="file"
              tabIndex={-1}
              accept={typeof contentMediaType === 'string' ? contentMediaType : undefined}
              aria-label={label}
              aria-invalid={isInvalid || undefined}
              onChange={event => void take(event.currentTarget.files?.[0])}
            />
          </div>
        )
      }
    </Frame>
  )
}

function Held({ value, chosen, onRemove }: { value: string; chosen: Chosen | undefined; onRemove: () => void }) {
  const own = chosen?.base64 === value ? chosen : undefined
  const name = own?.name ?? 'Content'
  const size = formatBytes(countBytes(value))
  return (
    <div class="file">
      <Icon name="resources" />
      <span class="grow cut">
        <Visible text={name} />{' '}
        <span class="faint num">
          {size}
          {own?.type ? ` · ${own.type}` : ''}
        </span>
      </span>
      <button type="button" class="icon-button" aria-label={`Remove ${toVisible(name)}`} onClick={onRemove}>
        <Icon name="x" />
      </button>
    </div>
  )
}

const countBytes = (base64: string) => Math.floor((base64.replace(/=+$/, '').length * 3) / 4)

/** Uses the browser's own reader, since a file may have many megabytes. */
const readBase64 = (file: File) =>
  new Promise<string>((resolve, reject) => {
    const reader = new FileReader()
    reader.onload = () => resolve(String(reader.result).replace(/^[^,]*,/, ''))
    reader.onerror = () => reject(reader.error ?? new Error('unknown'))
    reader.readAsDataURL(file)
  })
