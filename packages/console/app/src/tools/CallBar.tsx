// The foot of the arguments: Call, as a task or not, and the size of the arguments.
import type { Tool } from '@modelcontextprotocol/client'
import { useEffect, useMemo, useState } from 'preact/hooks'
import { isObject } from '../client/json-rpc.ts'
import { Icon } from '../parts/Icon.tsx'
import { Switch } from '../parts/Switch.tsx'
import { formatBytes, formatCount } from '../results/format.ts'
import type { Draft } from './draft.ts'

/** A shorter call shows no spinner. */
const SPINNER_AFTER_MS = 300

interface Props {
  readonly tool: Tool
  readonly draft: Draft
  /** False if only the server can check the arguments. */
  readonly isJudged: boolean
  readonly isRunning: boolean
  readonly mayCall: boolean
  /** The last call was not made, because the arguments are invalid. */
  readonly wasRefused: boolean
  /** Whether the client may ask for a task. */
  readonly support: 'optional' | 'required' | 'forbidden' | undefined
  readonly asTask: boolean
  onCall(): void
  onAsTask(asTask: boolean): void
}

export function CallBar({
  tool,
  draft,
  isJudged,
  isRunning,
  mayCall,
  wasRefused,
  support,
  asTask,
  onCall,
  onAsTask,
}: Props) {
  const isLong = useIsLong(isRunning)
  const status = useMemo(() => describeDraft(tool, draft), [tool, draft])
  return (
    <footer class="pane-foot">
      <button
        type="button"
        class={isLong ? 'button' : 'button button-primary'}
        disabled={!mayCall}
        // Not `disabled`: a disabled button loses the focus, and with it Ctrl+Enter.
        aria-disabled={isRunning || undefined}
        onClick={onCall}
      >
        {isLong ? (
          <>
            <span class="spin">
              <Icon name="loader" />
            </span>
            Calling
          </>
        ) : (
          <>
            Call
            <span class="keys hide-phone" aria-hidden="true">
              <kbd>{KEY}</kbd>
              <kbd>↵</kbd>
            </span>
          </>
        )}
      </button>
      {(support === 'optional' || support === 'required') && (
        <Switch isOn={asTask || support === 'required'} isDisabled={support === 'required'} onChange={onAsTask}>
          As a task
        </Switch>
      )}
      {!isJudged && (
        <span class="faint" title="The browser cannot judge this schema. The server checks every call">
          Not checked here
        </span>
      )}
      <span class="faint num cut grow hide-phone">{wasRefused ? 'Nothing was sent' : status}</span>
    </footer>
  )
}

const KEY = /Mac|iPhone|iPad/.test(navigator.platform) ? '⌘' : 'Ctrl'

function useIsLong(isRunning: boolean): boolean {
  const [isLong, setLong] = useState(false)
  useEffect(() => {
    if (!isRunning) return setLong(false)
    const timer = setTimeout(() => setLong(true), SPINNER_AFTER_MS)
    return () => clearTimeout(timer)
  }, [isRunning])
  return isLong && isRunning
}

/** `2 of 3 arguments · 164 B`. */
function describeDraft({ inputSchema }: Tool, { args, last }: Draft): string {
  if (args === undefined) return 'The JSON cannot be sent'
  const names = Object.keys(isObject(inputSchema.properties) ? inputSchema.properties : {})
  const set = Object.keys(last)
  if (set.length === 0) return names.length === 0 ? 'No arguments' : 'Nothing set yet'
  const bytes = new TextEncoder().encode(JSON.stringify(args)).length
  const all = new Set([...names, ...set]).size
  return `${set.length} of ${formatCount(all, 'argument')} · ${formatBytes(bytes)}`
}
