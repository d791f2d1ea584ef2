// A date, and a time with its zone. A text that is neither stays, so that the user can fix it.
import { useState } from 'preact/hooks'
import { toVisible } from '../../parts/visible-text.ts'
import { Frame, type InputIds, type KindProps, nameField, Sends } from '../Frame.tsx'
import { formatZoned, isDate, listZones, parseZoned } from '../zoned-time.ts'

export function DateField(field: KindProps) {
  const { value, at, onChange } = field
  const isNative = value === undefined || value === null || isDate(String(value))
  return (
    <Frame field={field}>
      {ids => (
        <NativeInput
          ids={ids}
          type={isNative ? 'date' : 'text'}
          value={typeof value === 'string' ? value : ''}
          onInput={next => onChange(at, next === '' ? undefined : next)}
        />
      )}
    </Frame>
  )
}

export function TimeField(field: KindProps) {
  const { node, value, at, onChange } = field
  const zoned = typeof value === 'string' ? parseZoned(value) : undefined
  const [offset, choose] = useState<string>()
  const zones = listZones(zoned?.local ?? '', zoned?.offset)
  const chosen = zoned?.offset ?? zones.find(zone => zone.offset === offset)?.offset ?? zones[0]!.offset
  const isFree = typeof value === 'string' && zoned === undefined
  const change = (local: string) => {
    if (isFree || local === '') return onChange(at, local === '' ? undefined : local)
    // The offset of this place differs between summer and winter.
    const next = zoned === undefined || zoned.offset === listZones(zoned.local, undefined)[0]!.offset
    const own = next && chosen !== 'Z' ? listZones(local, undefined)[0]!.offset : chosen
    onChange(at, formatZoned({ local, offset: own }))
  }
  const changeZone = (next: string) => {
    choose(next)
    if (zoned !== undefined) onChange(at, formatZoned({ ...zoned, offset: next }))
  }
  const type = node['format'] === 'time' ? 'time' : 'datetime-local'
  return (
    <Frame field={field} note={typeof value === 'string' && !isFree && <Sends text={value} />}>
      {ids => (
        <div class="input-with">
          <NativeInput
            ids={ids}
            type={isFree ? 'text' : type}
            value={zoned?.local ?? (typeof value === 'string' ? value : '')}
            onInput={change}
          />
          {!isFree && (
            <select
              class="select zone"
              aria-label={`Time zone of ${toVisible(field.label ?? nameField(field, node).name)}`}
              value={chosen}
              onChange={event => changeZone(event.currentTarget.value)}
            >
              {zones.map(zone => (
                <option key={zone.offset} value={zone.offset}>
                  {zone.label}
                </option>
              ))}
            </select>
          )}
        </div>
      )}
    </Frame>
  )
}

interface InputProps {
  readonly ids: InputIds
  readonly type: 'date' | 'time' | 'datetime-local' | 'text'
  readonly value: string
  onInput(value: string): void
}

const NativeInput = ({ ids, type, value, onInput }: InputProps) => (
  <input
    class="input"
    id={ids.id}
    // A new element for another type of field, so that half a date is not lost.
    key={type}
    // The compiler wants a separate element for each type.
    type={type as 'text'}
    value={value}
    aria-label={ids.label}
    aria-describedby={ids.describedBy}
    aria-invalid={ids.isInvalid || undefined}
    onInput={event => onInput(event.currentTarget.value)}
  />
)
