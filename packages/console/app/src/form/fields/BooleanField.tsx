// Yes or no: a switch if it is required, else three states.
import { Segmented } from '../../parts/Segmented.tsx'
import { Switch } from '../../parts/Switch.tsx'
import { toVisible } from '../../parts/visible-text.ts'
import { InlineText } from '../../results/Markdown.tsx'
import { Frame, type KindProps, nameField, toLiteral } from '../Frame.tsx'

const STATES = [
  ['unset', 'Not set'],
  ['true', 'true'],
  ['false', 'false'],
] as const

export function BooleanField(field: KindProps) {
  const { node, value, at, isRequired, label, onChange } = field
  const { name } = nameField(field, node)
  if (!isRequired) {
    return (
      <Frame field={field} isGroup hasLeaveOut={false}>
        {({ describedBy }) => (
          <Segmented
            isField
            label={toVisible(name)}
            choices={STATES}
            value={value === undefined ? 'unset' : value === true || value === false ? `${value}` : undefined}
            describedBy={describedBy}
            onChange={next => onChange(at, next === 'unset' ? undefined : next === 'true')}
          />
        )}
      </Frame>
    )
  }
  const { description } = node
  const words = label === undefined && typeof description === 'string' && description !== '' ? description : undefined
  return (
    <Frame
      field={field}
      isGroup
      meta=""
      hasDescription={false}
      note={value === undefined && <LeaveOff field={field} />}
    >
      {({ id, describedBy, isInvalid }) => (
        <Switch
          id={id}
          isOn={value === true}
          label={words === undefined ? toVisible(label ?? name) : undefined}
          describedBy={describedBy}
          isInvalid={isInvalid}
          onChange={isOn => onChange(at, isOn)}
        >
          {words === undefined ? value !== undefined && toLiteral(value) : <InlineText text={words} />}
        </Switch>
      )}
    </Frame>
  )
}

/** An untouched switch sends nothing. */
const LeaveOff = ({ field: { at, onChange } }: { field: KindProps }) => (
  <>
    Not chosen yet{' '}
    <button type="button" class="button button-ghost button-s" onClick={() => onChange(at, false)}>
      Leave off
    </button>
  </>
)
