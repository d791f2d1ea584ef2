// A JSON value, to be seen as a table, as a tree or as text.
import { useMemo, useState } from 'preact/hooks'
import { PlainText } from './PlainText.tsx'
import { ValueTable } from './ValueTable.tsx'
import { ValueTree } from './ValueTree.tsx'
import { findTable, toJson } from './values.ts'

type View = 'table' | 'tree' | 'text'
const LABELS: Readonly<Record<View, string>> = { table: 'Table', tree: 'Tree', text: 'Text' }

/** @param text the value as it came, if it came as text */
export function ValueView({ value, text }: { value: unknown; text?: string }) {
  const table = useMemo(() => findTable(value), [value])
  const views: View[] = table ? ['table', 'tree', 'text'] : ['tree', 'text']
  const [chosen, choose] = useState<View>()
  const view = chosen !== undefined && views.includes(chosen) ? chosen : views[0]!
  return (
    <div class="value-view">
      <fieldset class="row switch">
        <legend class="visually-hidden">Show as</legend>
        {views.map(each => (
          <button
            key={each}
            type="button"
            class="button button-small"
            aria-pressed={each === view}
            onClick={() => choose(each)}
          >
            {LABELS[each]}
          </button>
        ))}
      </fieldset>
      {view === 'table' && table && <ValueTable table={table} />}
      {view === 'tree' && <ValueTree value={value} />}
      {view === 'text' && <PlainText text={text ?? toJson(value)} />}
    </div>
  )
}
