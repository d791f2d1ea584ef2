// The frame of an input: its name, its type, its issue, its description.
import type { ComponentChildren } from 'preact'
import { Icon } from '../parts/Icon.tsx'
import { Visible } from '../parts/Visible.tsx'
import { toVisible } from '../parts/visible-text.ts'
import { InlineText } from '../results/Markdown.tsx'
import { type FieldProps, useForm, useIssueAt } from './form-context.ts'
import { describeIssue } from './issue-words.ts'
import { toPointer } from './issues.ts'
import type { Node } from './schema.ts'
import { describeType } from './words.ts'

/** A field whose schema has been read. */
export interface KindProps extends FieldProps {
  /** The schema without `null`. */
  readonly node: Node
  readonly isNullable: boolean
}

export interface InputIds {
  readonly id: string
  readonly describedBy: string | undefined
  readonly isInvalid: boolean
  /** For an input without a visible label. */
  readonly label: string | undefined
}

interface Props {
  readonly field: KindProps
  /** Whether it contains several inputs: the name is that of their group. */
  readonly isGroup?: boolean
  /** Text to the right of the name; default: the type with its bounds. */
  readonly meta?: string | undefined
  /** A note about the value, such as `3 lines, 32 B`. */
  readonly note?: ComponentChildren
  /** False if the input itself can be unset. */
  readonly hasLeaveOut?: boolean
  /** False if the description is elsewhere, such as beside a switch. */
  readonly hasDescription?: boolean
  children(ids: InputIds): ComponentChildren
}

export function Frame({ field, isGroup, meta, note, hasDescription = true, hasLeaveOut = true, children }: Props) {
  const { document } = useForm()
  const { node, value, path, label } = field
  const id = useFieldId(field)
  const issue = useIssueAt(path)
  const hasHints = label === undefined && (hasDescription || note !== undefined)
  const hints = hasHints ? listHints(field, note, hasDescription, document.isAnswer !== true) : []
  const described = [hints.length > 0 && `${id}-hint`, issue !== undefined && `${id}-error`].filter(Boolean).join(' ')
  const ids = { id, describedBy: described || undefined, isInvalid: issue !== undefined, label }
  const group = { role: 'group', 'aria-labelledby': `${id}-label`, 'aria-describedby': ids.describedBy } as const
  return (
    <div class={issue === undefined ? 'field' : 'field is-invalid'} {...(isGroup && label === undefined && group)}>
      {label === undefined && (
        <Head
          field={field}
          id={id}
          isGroup={isGroup}
          meta={meta ?? describeType(node, document, field.isNullable)}
          hasLeaveOut={hasLeaveOut}
        />
      )}
      <NullToggle field={field} ids={ids}>
        {children}
      </NullToggle>
      {issue !== undefined && <Fault id={`${id}-error`} text={describeIssue(issue, value, node, document)} />}
      {hints.length > 0 && <div id={`${id}-hint`}>{hints}</div>}
    </div>
  )
}

export function useFieldId({ path }: FieldProps): string {
  const { idPrefix } = useForm()
  return `${idPrefix}${toPointer(path)}`
}

export const Fault = ({ id, text, isAlert }: { id: string; text: string; isAlert?: boolean }) => (
  <p class="error" id={id} role={isAlert ? 'alert' : undefined}>
    <Icon name="alert" />
    <span>
      <Visible text={text} />
    </span>
  </p>
)

/** The title, if any, and the name as programs write it. */
export function nameField({ at }: FieldProps, node: Node): { readonly name: string; readonly code?: string } {
  const { title } = node
  const own = String(at)
  if (typeof title !== 'string' || title === '' || toPlain(title) === toPlain(own)) return { name: own }
  return { name: title, code: own }
}

const toPlain = (text: string) => text.replace(/[\s_-]/g, '').toLowerCase()

interface HeadProps {
  readonly field: KindProps
  readonly id: string
  readonly isGroup?: boolean | undefined
  readonly meta: string
  readonly hasLeaveOut: boolean
}

function Head({ field, id, isGroup, meta, hasLeaveOut }: HeadProps) {
  const { name, code } = nameField(field, field.node)
  return (
    <div class="field-head">
      {isGroup ? (
        <span class="label" id={`${id}-label`}>
          <Visible text={name} />
        </span>
      ) : (
        <label for={id}>
          <Visible text={name} />
        </label>
      )}
      {code !== undefined && (
        <code class="faint">
          <Visible text={code} />
        </code>
      )}
      {field.isRequired && <span class="req">required</span>}
      {meta !== '' && <span class="meta">{meta}</span>}
      {hasLeaveOut && <LeaveOut field={field} />}
    </div>
  )
}

/** For an optional field with a value. */
export function LeaveOut({ field, isLarge }: { field: KindProps; isLarge?: boolean }) {
  const { at, value, path, isRequired, onChange } = field
  const { toFocus } = useForm()
  const id = useFieldId(field)
  const leaveOut = () => {
    // A box turns into the button that adds it; any other input stays.
    toFocus.current = isLarge ? toPointer(path) : undefined
    document.getElementById(id)?.focus()
    onChange(at, undefined)
  }
  if (isRequired || value === undefined) return null
  return (
    <button
      type="button"
      class="icon-button"
      aria-label={`Leave ${toVisible(nameField(field, field.node).name)} out`}
      title="Leave out"
      onClick={leaveOut}
    >
      <Icon name="x" size={isLarge ? 16 : 12} />
    </button>
  )
}

/** The input, and beside it the choice of `null`. */
function NullToggle({ field, ids, children }: { field: KindProps; ids: InputIds; children: Props['children'] }) {
  const { isNullable, value, at, onChange } = field
  if (!isNullable) return <>{children(ids)}</>
  const isNull = value === null
  return (
    <div class="input-with">
      {isNull ? (
        <input
          class="input"
          id={ids.id}
          value=""
          placeholder="null"
          disabled
          aria-label={ids.label}
          aria-describedby={ids.describedBy}
        />
      ) : (
        <div class="grow">{children(ids)}</div>
      )}
      <button
        type="button"
        class="toggle"
        aria-pressed={isNull}
        onClick={() => onChange(at, isNull ? undefined : null)}
      >
        null
      </button>
    </div>
  )
}

function listHints(
  { node, value, isRequired, isNullable }: KindProps,
  note: ComponentChildren,
  hasDescription: boolean,
  fillsDefaults: boolean,
) {
  const { description, examples, default: fallback } = node
  const [example] = Array.isArray(examples) ? examples : []
  const isOptional = fillsDefaults && !isRequired && Object.hasOwn(node, 'default')
  return [
    hasDescription && typeof description === 'string' && description !== '' && <InlineText text={description} />,
    note,
    isNullable && value === null && <Sends text="null" />,
    value === '' && <>Sends an empty text</>,
    example !== undefined && (
      <>
        Example: <Literal value={example} />
      </>
    ),
    isOptional && (
      <>
        If not set: <Literal value={fallback} />
      </>
    ),
  ].flatMap((hint, index) =>
    hint === false || hint === undefined || hint === null
      ? []
      : [
          <p class="hint" key={index}>
            {hint}
          </p>,
        ],
  )
}

export const Sends = ({ text }: { text: string }) => (
  <>
    Sends <code>{text}</code>
  </>
)

const MAX_LITERAL = 120

/** A text without its quotes; any other value as JSON. */
export const toLiteral = (value: unknown): string => {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
  return text.length > MAX_LITERAL ? `${text.slice(0, MAX_LITERAL)}…` : text
}

const Literal = ({ value }: { value: unknown }) => (
  <code>
    <Visible text={value === '' ? '""' : toLiteral(value)} />
  </code>
)
