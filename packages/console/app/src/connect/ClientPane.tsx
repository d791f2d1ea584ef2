// One client: why it cannot use this server, its steps, and what to know before.
import { highlight, splitCode } from '../../../src/clients/highlight.ts'
import type { Client, Snippet, Step } from '../../../src/clients/index.ts'
import { Code } from '../parts/Code.tsx'
import { Icon } from '../parts/Icon.tsx'
import { Note } from '../parts/Note.tsx'
import { Scroll } from '../parts/Scroll.tsx'
import { toHash } from '../shell/router.ts'

export const ClientPane = ({ client: { title, steps, problems, limits, docs } }: { client: Client }) => (
  <section class="pane pane-result" aria-label={title}>
    <header class="view-head">
      <a class="button button-ghost button-s only-phone" href={toHash({ section: 'connect' })}>
        <Icon name="left" />
        Clients
      </a>
      <h2 class="view-title">{title}</h2>
      <div class="end">
        <a class="button button-ghost button-s" href={docs} target="_blank" rel="noopener noreferrer">
          Its documentation
          <Icon name="external" size={12} />
        </a>
      </div>
    </header>
    <Scroll label="Steps" isPadded>
      <div class="stack-24">
        {problems.map(problem => (
          <Note key={problem.title} kind="warning">
            <p>
              <strong>{withCode(problem.title)}</strong>
            </p>
            <p>{withCode(problem.text)}</p>
          </Note>
        ))}
        <ol class="steps">
          {steps.map(step => (
            <StepItem key={step.title} step={step} client={title} />
          ))}
        </ol>
      </div>
      <div class="after-steps">
        <h3>What to know</h3>
        <ul class="limits">
          {limits.map(limit => (
            <li key={limit}>{withCode(limit)}</li>
          ))}
        </ul>
      </div>
    </Scroll>
  </section>
)

const StepItem = ({ step: { title, text, snippet, link }, client }: { step: Step; client: string }) => (
  <li>
    <h3>{title}</h3>
    {link !== undefined && (
      <p class="row row-wrap">
        <a class="button button-primary" href={link} rel="noopener noreferrer">
          Add to {client}
          <Icon name="external" />
        </a>
        {text !== undefined && <span class="muted">{withCode(text)}</span>}
      </p>
    )}
    {snippet !== undefined && <SnippetCode snippet={snippet} />}
    {link === undefined && text !== undefined && <p class="muted">{withCode(text)}</p>}
  </li>
)

const SnippetCode = ({ snippet: { file, text, language } }: { snippet: Snippet }) => (
  <Code
    {...(file === undefined ? { isLine: true } : { head: file })}
    text={text}
    label={`Copy ${file ?? 'the command'}`}
  >
    {highlight(text, language).map(({ kind, text }, index) =>
      kind === undefined ? (
        text
      ) : (
        <span key={index} class={`tok-${kind}`}>
          {text}
        </span>
      ),
    )}
  </Code>
)

/** Words in backticks are code. */
const withCode = (text: string) =>
  splitCode(text).map((part, index) => (index % 2 === 0 ? part : <code key={index}>{part}</code>))
