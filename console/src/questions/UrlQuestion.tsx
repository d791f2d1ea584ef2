// A question that is answered on another page. It opens after consent only.
// Spec: client/elicitation, "Safe URL Handling".
import { toWebUrl } from '../results/files.ts'
import { PlainText, Prose } from '../results/PlainText.tsx'
import { Refusals } from './FormQuestion.tsx'
import type { Question } from './question-queue.ts'

export function UrlQuestion({ question }: { question: Question }) {
  const { message, url } = question.params
  const target = toWebUrl(String(url))
  const open = () => {
    window.open(target, '_blank', 'noopener,noreferrer')
    question.answer({ action: 'accept' })
  }
  return (
    <>
      <Prose text={String(message ?? '')} />
      {target === undefined ? (
        <p class="notice notice-error">This is no address of the web. It cannot be opened.</p>
      ) : (
        <p>
          The page is on <strong>{new URL(target).host}</strong>. Open it only if you trust that host.
        </p>
      )}
      <PlainText text={target ?? String(url)} />
      <Refusals question={question}>
        <button type="button" class="button button-primary" disabled={target === undefined} onClick={open}>
          Open the page
        </button>
      </Refusals>
    </>
  )
}
