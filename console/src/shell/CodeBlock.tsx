// A text to read and to copy.
import { PlainText } from '../results/PlainText.tsx'
import { CopyButton } from './CopyButton.tsx'

export const CodeBlock = ({ text, label }: { text: string; label: string }) => (
  <div class="code-block">
    <PlainText text={text} />
    <CopyButton text={text} label={`Copy ${label}`} />
  </div>
)
