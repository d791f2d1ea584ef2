// Copies a text, and confirms it for two seconds.
import { useEffect, useState } from 'preact/hooks'
import { Icon, type IconName } from './Icon.tsx'

const SAID_MS = 2_000

interface Props {
  /** The text to copy; a function if it takes long to create. */
  readonly text: string | (() => string)
  /** For a screen reader: "Copy call.ts". */
  readonly label: string
  /** Only an icon, among others. */
  readonly isIcon?: boolean
  readonly words?: string
  readonly icon?: IconName
}

export function CopyButton({ text, label, isIcon, words = 'Copy', icon = 'copy' }: Props) {
  const [said, say] = useState<string>()
  useEffect(() => {
    if (said === undefined) return
    const timer = setTimeout(() => say(undefined), SAID_MS)
    return () => clearTimeout(timer)
  }, [said])
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(typeof text === 'string' ? text : text())
      say('Copied')
    } catch {
      // Without HTTPS, browsers give a page no clipboard.
      say('Select the text and copy it')
    }
  }
  return (
    <>
      <button
        type="button"
        class={isIcon ? 'icon-button' : 'button button-ghost button-s'}
        aria-label={label}
        title={isIcon ? (said ?? label) : undefined}
        onClick={copy}
      >
        <Icon name={icon} />
        {!isIcon && (said ?? words)}
      </button>
      <span class="vh" role="status">
        {said}
      </span>
    </>
  )
}
