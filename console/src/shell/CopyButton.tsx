// Copies a text, and says so.
import { useState } from 'preact/hooks'

export function CopyButton({ text, label }: { text: string; label: string }) {
  const [said, say] = useState('')
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text)
      say('Copied')
    } catch {
      // Browsers have no clipboard for pages without HTTPS.
      say('Select the text and copy it')
    }
  }
  return (
    <span class="row">
      <button type="button" class="button button-small" aria-label={label} onClick={copy}>
        Copy
      </button>
      <span class="hint" aria-live="polite">
        {said}
      </span>
    </span>
  )
}
