// A question that the user answers on another page. Nothing is fetched from it before the user agrees.
import { Icon } from '../parts/Icon.tsx'
import { Note } from '../parts/Note.tsx'
import { Visible } from '../parts/Visible.tsx'
import { QuestionText } from './QuestionText.tsx'
import type { Question } from './question-queue.ts'
import { parseQuestionUrl, type QuestionUrl } from './question-url.ts'

export function UrlQuestion({ question, titleId }: { question: Question; titleId: string }) {
  const { message, url } = question.params
  const target = parseQuestionUrl(String(url))
  const open = () => {
    if (!('href' in target)) return
    window.open(target.href, '_blank', 'noopener,noreferrer')
    question.answer({ action: 'accept' })
  }
  return (
    <>
      <div class="dialog-body">
        <QuestionText text={message} titleId={titleId} />
        {'fault' in target ? <Refused url={String(url)} fault={target.fault} /> : <Target target={target} />}
      </div>
      <div class="dialog-foot">
        <span class="start hide-phone">Open it only if you know the host.</span>
        <button type="button" class="button" data-first onClick={() => question.answer({ action: 'decline' })}>
          Decline
        </button>
        <button type="button" class="button button-primary" disabled={'fault' in target} onClick={open}>
          Open page
          <Icon name="external" />
        </button>
      </div>
    </>
  )
}

const Target = ({ target: { before, host, after, isForeign } }: { target: QuestionUrl }) => (
  <>
    <div class="host">
      <strong>
        <Icon name="lock" />
        {host}
      </strong>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by keyboard */}
      <code tabIndex={0}>
        {before}
        <b>{host}</b>
        {after}
      </code>
    </div>
    {isForeign && (
      <Note kind="warning">
        <p>
          The host has letters beyond a to z, written as <code>xn--</code>. It may look like a host that you know, and
          be another.
        </p>
      </Note>
    )}
    <p class="hint">It opens in a new tab. What you enter there does not pass through this console.</p>
  </>
)

const Refused = ({ url, fault }: { url: string; fault: string }) => (
  <>
    <div class="host">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by keyboard */}
      <code tabIndex={0}>
        <Visible text={url.slice(0, 5_000)} />
      </code>
    </div>
    <Note kind="danger">
      <p>{fault} It cannot be opened from here.</p>
    </Note>
  </>
)
