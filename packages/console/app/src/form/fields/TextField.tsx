// Text: one line that grows, one line for addresses, several lines for content and code.
import { formatBytes, formatCount, formatNumber } from '../../results/format.ts'
import { Frame, type KindProps, toLiteral } from '../Frame.tsx'
import type { Node } from '../schema.ts'

/** Without `email`: there, browsers rewrite `bücher.example`. */
const INPUT_TYPES: Readonly<Record<string, 'text' | 'url' | 'tel'>> = {
  email: 'text',
  'idn-email': 'text',
  uri: 'url',
  url: 'url',
  tel: 'tel',
  phone: 'tel',
}

const LONG = 200
const CODE = /(?:^|[_-])(?:query|sql|code|csv|html|json|xml|yaml|script|source)$/i
const CONTENT = /(?:^|[_-])(?:body|content|markdown|prompt|text|message)$/i

export function TextField(field: KindProps) {
  const { node, value, at, onChange } = field
  const text = typeof value === 'string' ? value : value === undefined || value === null ? '' : JSON.stringify(value)
  const { format, default: fallback } = node
  const type = typeof format === 'string' && Object.hasOwn(INPUT_TYPES, format) ? INPUT_TYPES[format] : undefined
  const size = findSize(node, String(at))
  const change = (next: string) => onChange(at, next === '' ? undefined : next)
  return (
    <Frame field={field} note={describeText(node, text, size)}>
      {({ id, describedBy, isInvalid, label }) => {
        const props = {
          id,
          value: text,
          placeholder: fallback === undefined ? undefined : toLiteral(fallback),
          spellcheck: false,
          'aria-label': label,
          'aria-describedby': describedBy,
          'aria-invalid': isInvalid || undefined,
        }
        return type === undefined ? (
          <textarea
            {...props}
            class={SIZES[label === undefined ? size : 'line']}
            rows={1}
            onInput={event => change(event.currentTarget.value)}
          />
        ) : (
          // The compiler wants a separate element for each type.
          <input
            {...props}
            class="input"
            type={(type ?? 'text') as 'text'}
            inputMode={type === 'text' ? 'email' : undefined}
            onInput={event => change(event.currentTarget.value)}
          />
        )
      }}
    </Frame>
  )
}

const SIZES = { line: 'textarea', long: 'textarea textarea-4', code: 'textarea textarea-code textarea-4' } as const

function findSize({ maxLength, contentMediaType, format }: Node, name: string): keyof typeof SIZES {
  const isBounded = typeof maxLength === 'number' && maxLength <= LONG
  if (typeof contentMediaType === 'string') return contentMediaType === 'text/plain' ? 'long' : 'code'
  if (isBounded || typeof format === 'string') return 'line'
  if (CODE.test(name)) return 'code'
  return CONTENT.test(name) || typeof maxLength === 'number' ? 'long' : 'line'
}

function describeText({ maxLength }: Node, text: string, size: keyof typeof SIZES): string | undefined {
  if (text === '') return undefined
  if (size === 'line')
    return typeof maxLength === 'number' ? `${[...text].length} of ${formatNumber(maxLength)}` : undefined
  const lines = formatCount(text.replace(/\n$/, '').split('\n').length, 'line')
  return `${lines}, ${formatBytes(new TextEncoder().encode(text).length)}`
}
