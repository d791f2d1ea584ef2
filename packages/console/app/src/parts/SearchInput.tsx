// The search of a list or a table.
import { Icon } from './Icon.tsx'

interface Props {
  readonly label: string
  readonly placeholder: string
  readonly query: string
  /** Shows the key that focuses it. */
  readonly hasKey?: boolean
  /** For a search below its table. */
  readonly isInTable?: boolean
  onQuery(query: string): void
}

export const SearchInput = ({ label, placeholder, query, hasKey, isInTable, onQuery }: Props) => (
  <div class={isInTable ? 'with-icon search table-find' : 'with-icon search'}>
    <Icon name="search" />
    <input
      class="input"
      type="search"
      placeholder={placeholder}
      aria-label={label}
      value={query}
      onInput={event => onQuery(event.currentTarget.value)}
    />
    {hasKey && <kbd class="end hide-phone">/</kbd>}
  </div>
)
