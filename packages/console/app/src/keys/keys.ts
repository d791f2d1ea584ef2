// Every key of the console. The dialog shows this table, and the page uses it.
export type KeyId =
  | 'search'
  | `go ${'tools' | 'resources' | 'prompts' | 'tasks' | 'activity' | 'messages' | 'connect'}`
  | 'keys'
  | 'next'
  | 'previous'
  | 'open'
  | 'clear'
  | 'call'
  | 'json'
  | 'cancel'
  | `tab ${1 | 2 | 3 | 4 | 5}`
  | 'before'
  | 'after'

export interface KeyRow {
  readonly id: KeyId
  readonly group: 'Everywhere' | 'List' | 'Form' | 'Result'
  readonly words: string
  /** Pressed together if the first is Ctrl, else one after the other. */
  readonly keys: readonly string[]
  /** The list itself handles it. */
  readonly isOfList?: true
}

export const KEYS: readonly KeyRow[] = [
  { id: 'search', group: 'Everywhere', words: 'Search this list', keys: ['/'] },
  { id: 'go tools', group: 'Everywhere', words: 'Tools', keys: ['G', 'T'] },
  { id: 'go resources', group: 'Everywhere', words: 'Resources', keys: ['G', 'R'] },
  { id: 'go prompts', group: 'Everywhere', words: 'Prompts', keys: ['G', 'P'] },
  { id: 'go tasks', group: 'Everywhere', words: 'Tasks', keys: ['G', 'K'] },
  { id: 'go activity', group: 'Everywhere', words: 'Activity', keys: ['G', 'A'] },
  { id: 'go messages', group: 'Everywhere', words: 'Messages', keys: ['G', 'M'] },
  { id: 'go connect', group: 'Everywhere', words: 'Connect', keys: ['G', 'C'] },
  { id: 'keys', group: 'Everywhere', words: 'These keys', keys: ['?'] },
  { id: 'next', group: 'List', words: 'Next', keys: ['J'] },
  { id: 'previous', group: 'List', words: 'Previous', keys: ['K'] },
  { id: 'open', group: 'List', words: 'Open, and go to its form', keys: ['↵'], isOfList: true },
  { id: 'clear', group: 'List', words: 'Clear the search', keys: ['Esc'], isOfList: true },
  { id: 'call', group: 'Form', words: 'Call, get, send', keys: ['Ctrl', '↵'] },
  { id: 'json', group: 'Form', words: 'Form or JSON', keys: ['Ctrl', 'J'] },
  { id: 'cancel', group: 'Form', words: 'Cancel the running call', keys: ['Esc'] },
  { id: 'tab 1', group: 'Result', words: 'First tab, Result', keys: ['1'] },
  { id: 'tab 2', group: 'Result', words: 'Second tab, JSON', keys: ['2'] },
  { id: 'tab 3', group: 'Result', words: 'Third tab', keys: ['3'] },
  { id: 'tab 4', group: 'Result', words: 'Fourth tab', keys: ['4'] },
  { id: 'tab 5', group: 'Result', words: 'Fifth tab', keys: ['5'] },
  { id: 'before', group: 'Result', words: 'Call before', keys: ['['] },
  { id: 'after', group: 'Result', words: 'Call after', keys: [']'] },
]

const NAMES: Readonly<Record<string, string>> = { Enter: '↵', Escape: 'Esc' }

/** The key as it stands in the table. */
export const toKeyName = (key: string): string => NAMES[key] ?? (key.length === 1 ? key.toUpperCase() : key)

/** @param before the key pressed just before, if it may begin a pair */
export function findKey(pressed: string, hasCtrl: boolean, before: string | undefined): KeyRow | undefined {
  const isPressed = (keys: readonly string[]) => {
    if (hasCtrl) return keys[0] === 'Ctrl' && keys[1] === pressed
    return keys.length === 1 ? before === undefined && keys[0] === pressed : keys[0] === before && keys[1] === pressed
  }
  return KEYS.find(({ keys, isOfList }) => !isOfList && isPressed(keys))
}

/** Keys that begin a pair. */
export const isPrefix = (pressed: string): boolean =>
  KEYS.some(({ keys }) => keys.length === 2 && keys[0] === pressed && pressed !== 'Ctrl')
