// Shown after a refused attempt to call: links to the invalid fields, and a button that calls anyway.
import type { Issues } from '../form/issues.ts'
import { Icon } from '../parts/Icon.tsx'
import { Visible } from '../parts/Visible.tsx'

const MAX_NAMED = 5

interface Props {
  /** `undefined` if the arguments cannot be parsed. */
  readonly issues: Issues | undefined
  onField(path: readonly string[]): void
  onCallAnyway(): void
}

export function Faults({ issues, onField, onCallAnyway }: Props) {
  const paths = [...(issues?.values() ?? [])].map(({ path }) => path)
  const more = paths.length - MAX_NAMED
  if (paths.length === 0) return <div role="alert" class="vh" />
  return (
    <div class="summary-error" role="alert">
      <Icon name="alert" />
      <span class="grow">
        {paths.length === 1 ? '1 field does not fit: ' : `${paths.length} fields do not fit: `}
        {paths.slice(0, MAX_NAMED).map((path, index) => (
          <span key={path.join('/')}>
            {index > 0 && ', '}
            <button type="button" class="link-button" onClick={() => onField(path)}>
              <Visible text={path.length === 0 ? 'the arguments' : path.join('.')} />
            </button>
          </span>
        ))}
        {more > 0 && ` and ${more} more`}
      </span>
      <button type="button" class="button button-s button-ghost" onClick={onCallAnyway}>
        Call anyway
      </button>
    </div>
  )
}
