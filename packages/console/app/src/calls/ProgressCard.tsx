// The progress of a call or a task, with Cancel. Without a total, the bar moves.
import type { ComponentChildren } from 'preact'
import { Icon } from '../parts/Icon.tsx'
import { formatLong } from '../results/format.ts'
import { CodeText } from '../results/Markdown.tsx'
import { describeReached, estimateSeconds, findShare, type Steps } from './progress.ts'

interface Props {
  readonly steps: Steps | undefined
  /** Shown until the tool reports something. */
  readonly lead: string
  /** Cancel, with its words and keys. */
  readonly children: ComponentChildren
  onCancel(): void
}

export function ProgressCard({ steps, lead, children, onCancel }: Props) {
  const left = steps && estimateSeconds(steps)
  const far = steps && describeProgress(steps)
  return (
    <section class="progress-card" aria-label="Progress">
      <div class="row spread">
        <p class="lead">
          <CodeText text={steps?.message ?? lead} />
        </p>
        <button type="button" class="button button-s" onClick={onCancel}>
          <Icon name="stop" />
          {children}
        </button>
      </div>
      {/* The bar moves if it has no value. */}
      <progress
        class="progress"
        aria-label="Progress"
        max={steps?.total}
        value={steps?.total === undefined ? undefined : steps.progress}
      />
      <div class="row spread muted num">
        <span>{far}</span>
        <span>{left !== undefined && `about ${formatLong(left)} left`}</span>
      </div>
    </section>
  )
}

/** `6 of 14 · 43%`, or `6`. */
function describeProgress(steps: Steps): string {
  const share = findShare(steps)
  return share === undefined ? describeReached(steps) : `${describeReached(steps)} · ${share}%`
}
