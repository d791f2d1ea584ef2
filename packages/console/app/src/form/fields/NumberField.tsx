// A number, as it was written. Other text stays as it was typed, and the field shows an issue.

import { parseNumber } from '@toolrack/json-schema/exact-number'
import type { TargetedKeyboardEvent } from 'preact'
import { useState } from 'preact/hooks'
import { toVisible } from '../../parts/visible-text.ts'
import { Frame, type KindProps, nameField, toLiteral } from '../Frame.tsx'
import { findTypes, type Node } from '../schema.ts'

const MAX_STEPS = 1_000

export function NumberField(field: KindProps) {
  const { node, value, at, onChange } = field
  const [typed, type] = useState<{ readonly text: string; readonly value: unknown }>()
  // 1.0 stays as typed, since the user may continue to 1.05.
  const text = typed !== undefined && typed.value === value ? typed.text : value === undefined ? '' : toLiteral(value)
  const slider = findSlider(node)
  const change = (next: string) => {
    const read = next.trim() === '' ? undefined : (parseNumber(next.trim()) ?? next)
    type({ text: next, value: read })
    onChange(at, read)
  }
  const step = (event: TargetedKeyboardEvent<HTMLInputElement>) => {
    const direction = { ArrowUp: 1, ArrowDown: -1 }[event.key]
    if (direction === undefined || (value !== undefined && typeof value !== 'number')) return
    event.preventDefault()
    onChange(at, stepNumber(node, value, direction))
  }
  return (
    <Frame field={field}>
      {({ id, describedBy, isInvalid, label }) => {
        const input = (
          <input
            class="input"
            id={id}
            type="text"
            role="spinbutton"
            inputMode={findTypes(node).includes('number') ? 'decimal' : 'numeric'}
            autocomplete="off"
            key="input"
            value={text}
            placeholder={node['default'] === undefined ? undefined : toLiteral(node['default'])}
            aria-label={label}
            aria-valuenow={typeof value === 'number' ? value : undefined}
            aria-valuetext={text === '' ? undefined : text}
            aria-valuemin={toBound(node['minimum'])}
            aria-valuemax={toBound(node['maximum'])}
            aria-describedby={describedBy}
            aria-invalid={isInvalid || undefined}
            onInput={event => change(event.currentTarget.value)}
            onKeyDown={step}
          />
        )
        if (slider === undefined || label !== undefined) return input
        return (
          <div class="input-unit">
            {input}
            <input
              type="range"
              class={typeof value === 'number' ? 'slider' : 'slider slider-idle'}
              {...slider}
              value={typeof value === 'number' ? value : (toBound(node['default']) ?? slider.min)}
              aria-label={`${toVisible(nameField(field, node).name)}, by slider`}
              onInput={event => onChange(at, Number(event.currentTarget.value))}
            />
          </div>
        )
      }}
    </Frame>
  )
}

const toBound = (value: unknown) => (typeof value === 'number' ? value : undefined)

/** For a number with both bounds and not too many steps. */
function findSlider(node: Node): { min: number; max: number; step: number } | undefined {
  const { minimum, maximum, multipleOf } = node
  if (typeof minimum !== 'number' || typeof maximum !== 'number' || maximum <= minimum) return undefined
  const isWhole = !findTypes(node).includes('number')
  const step = typeof multipleOf === 'number' && multipleOf > 0 ? multipleOf : isWhole ? 1 : (maximum - minimum) / 100
  return (maximum - minimum) / step <= MAX_STEPS ? { min: minimum, max: maximum, step } : undefined
}

/** The arrow keys step up and down, as in every field for numbers. */
function stepNumber(node: Node, value: number | undefined, direction: number): number {
  const by = typeof node['multipleOf'] === 'number' ? node['multipleOf'] : 1
  const least = toBound(node['minimum']) ?? Number.NEGATIVE_INFINITY
  const most = toBound(node['maximum']) ?? Number.POSITIVE_INFINITY
  const start = value ?? toBound(node['default'])
  const next = start === undefined ? Math.max(least, Math.min(0, most)) : start + direction * by
  // 0.1 + 0.2 is shown as 0.3.
  return Math.min(most, Math.max(least, Number(next.toPrecision(15))))
}
