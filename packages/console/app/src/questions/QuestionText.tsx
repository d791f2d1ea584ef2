// The text of a question, and the effect of Escape.
import { InlineText } from '../results/Markdown.tsx'

/** Longer messages are below a heading. */
const MAX_TITLE = 140

/** The question as a heading. If it is long, the text is below a short heading. */
export function QuestionText({ text, titleId }: { text: unknown; titleId: string }) {
  const message = typeof text === 'string' ? text.trim() : ''
  const isTitle = message !== '' && message.length <= MAX_TITLE && !message.includes('\n')
  if (isTitle) {
    return (
      <h2 id={titleId}>
        <InlineText text={message} />
      </h2>
    )
  }
  return (
    <>
      <h2 id={titleId}>What do you answer?</h2>
      {message !== '' && (
        <p class="plain question-text">
          <InlineText text={message} />
        </p>
      )}
    </>
  )
}

export const EscapeHint = ({ children }: { children: string }) => (
  <span class="start hide-phone">
    <kbd>Esc</kbd> {children}
  </span>
)
