// The box around an object or a list. An optional one is hidden until the user clicks Add.
import type { ComponentChildren } from 'preact'
import { Icon } from '../parts/Icon.tsx'
import { Visible } from '../parts/Visible.tsx'
import { toVisible } from '../parts/visible-text.ts'
import { InlineText } from '../results/Markdown.tsx'
import { Fault, type KindProps, LeaveOut, nameField, Sends, useFieldId } from './Frame.tsx'
import { useFocus, useForm, useIssueAt } from './form-context.ts'
import { describeIssue } from './issue-words.ts'
import { toPointer } from './issues.ts'

interface NestProps {
  readonly field: KindProps
  readonly meta: string
  readonly children: ComponentChildren
}

export function Nest({ field, meta, children }: NestProps) {
  const { node, label, isRequired } = field
  const id = useFieldId(field)
  const { name, code } = nameField(field, node)
  const { description } = node
  const hint = typeof description === 'string' && description !== '' && label === undefined ? description : undefined
  const error = useIssue(field)
  const body = useFocus<HTMLDivElement>(toPointer(field.path))
  const described = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ')
  return (
    <fieldset
      class={error === undefined ? 'nest' : 'nest is-invalid-nest'}
      id={id}
      tabIndex={-1}
      aria-describedby={described || undefined}
    >
      <legend class="vh">
        <Visible text={label ?? name} />
      </legend>
      {label === undefined && (
        <div class="nest-head">
          <span class="label" aria-hidden="true">
            <Visible text={name} />
          </span>
          {code !== undefined && (
            <code class="faint">
              <Visible text={code} />
            </code>
          )}
          {isRequired && <span class="req">required</span>}
          <span class="meta">{meta}</span>
          <NullButton field={field} />
          <LeaveOut field={field} isLarge />
        </div>
      )}
      <div class="nest-body" ref={body}>
        {hint !== undefined && (
          <p class="hint nest-hint" id={`${id}-hint`}>
            <InlineText text={hint} />
          </p>
        )}
        {children}
        {error !== undefined && <Fault id={`${id}-error`} text={error} />}
      </div>
    </fieldset>
  )
}

/** The sentence about an issue of the whole object or list. */
export function useIssue({ path, value, node }: KindProps): string | undefined {
  const { document } = useForm()
  const issue = useIssueAt(path)
  return issue && describeIssue(issue, value, node, document)
}

interface AddProps {
  readonly field: KindProps
  readonly meta: string
  onAdd(): void
}

/** An optional object or list that is not set, or `null`. */
export function Add({ field, meta, onAdd }: AddProps) {
  const { node, value, isNullable } = field
  const id = useFieldId(field)
  const { name } = nameField(field, node)
  const error = useIssue(field)
  const hint = typeof node['description'] === 'string' && node['description'] !== ''
  const described = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ')
  const { toFocus } = useForm()
  const pointer = toPointer(field.path)
  const button = useFocus<HTMLButtonElement>(pointer)
  const open = () => {
    toFocus.current = pointer
    onAdd()
  }
  const add = (
    <button type="button" class="add" id={id} ref={button} aria-describedby={described || undefined} onClick={open}>
      <Icon name="plus" />
      <span class="add-name">
        Add <Visible text={name} />
      </span>
      <span class="meta cut" aria-hidden="true">
        {toVisible(meta)}
      </span>
    </button>
  )
  return (
    <div class={error === undefined ? undefined : 'is-invalid'}>
      {isNullable ? (
        <div class="input-with">
          {add}
          <NullButton field={field} />
        </div>
      ) : (
        add
      )}
      {error !== undefined && <Fault id={`${id}-error`} text={error} />}
      {hint && (
        <p class="hint" id={`${id}-hint`}>
          <InlineText text={String(node['description'])} />
        </p>
      )}
      {value === null && isNullable && (
        <p class="hint">
          <Sends text="null" />
        </p>
      )}
    </div>
  )
}

function NullButton({ field: { isNullable, value, at, onChange } }: { field: KindProps }) {
  if (!isNullable) return null
  const isNull = value === null
  return (
    <button type="button" class="toggle" aria-pressed={isNull} onClick={() => onChange(at, isNull ? undefined : null)}>
      null
    </button>
  )
}
