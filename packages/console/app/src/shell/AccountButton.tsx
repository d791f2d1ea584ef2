// The name of the user at the top right. It opens the account, with the way to sign out.
import { useEffect, useState } from 'preact/hooks'
import { useStore } from '../client/use-store.ts'
import { Icon } from '../parts/Icon.tsx'
import { Popover } from '../parts/Popover.tsx'
import { Visible } from '../parts/Visible.tsx'
import { Account } from '../sign-in/Account.tsx'
import { useConsole } from './context.ts'

export function AccountButton() {
  const { signIn } = useConsole()
  const { status, via, who } = useStore(signIn.state)
  const [isOpen, open] = useState(false)
  const isIn = status === 'signed-in' || (status === 'waiting' && via !== undefined)
  // The next user has not opened it.
  useEffect(() => {
    if (!isIn) open(false)
  }, [isIn])
  if (!isIn) return null
  return (
    <>
      <button
        type="button"
        class="conn account"
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        onClick={() => open(!isOpen)}
      >
        <Icon name="user" />
        <span class="cut hide-phone">{who ? <Visible text={who.name} /> : 'Signed in'}</span>
        <Icon name="down" size={12} />
      </button>
      {isOpen && (
        <Popover label="Account" class="conn-popover" onClose={() => open(false)}>
          <Account signIn={signIn} />
        </Popover>
      )}
    </>
  )
}
