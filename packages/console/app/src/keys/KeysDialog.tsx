// The dialog with every key, by where it works, and a switch for the keys without Ctrl.
import { useStore } from '../client/use-store.ts'
import { Dialog } from '../parts/Dialog.tsx'
import { Icon } from '../parts/Icon.tsx'
import { Switch } from '../parts/Switch.tsx'
import { useConsole } from '../shell/context.ts'
import { KeyHint } from './KeyHint.tsx'
import { KEYS } from './keys.ts'

const GROUPS = ['Everywhere', 'List', 'Form', 'Result'] as const

export function KeysDialog({ onClose }: { onClose(): void }) {
  const { view } = useConsole()
  return (
    <Dialog labelledBy="keys-title" isWide onCancel={onClose}>
      <div class="dialog-head">
        <h2 class="grow view-title" id="keys-title">
          Keys
        </h2>
        <button type="button" class="icon-button" aria-label="Close" onClick={onClose}>
          <Icon name="x" />
        </button>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by keyboard */}
      <div class="dialog-body" tabIndex={0}>
        <div class="keymap">
          {GROUPS.map(group => (
            <section key={group}>
              <h3>{group}</h3>
              <dl>
                {KEYS.filter(row => row.group === group).map(({ id, words, keys }) => (
                  <div key={id}>
                    <dt>{words}</dt>
                    <dd class="keys">
                      <KeyHint keys={keys} />
                    </dd>
                  </div>
                ))}
              </dl>
            </section>
          ))}
        </div>
      </div>
      <div class="dialog-foot">
        <span class="start">
          <Switch isOn={useStore(view.singleKeys)} onChange={view.singleKeys.set}>
            Keys without Ctrl
          </Switch>
        </span>
      </div>
    </Dialog>
  )
}
