// One resource template: its variables, with suggestions, and the resource that it reads.
import { type ResourceTemplateType, UriTemplate } from '@modelcontextprotocol/client'
import { useState } from 'preact/hooks'
import { useRequest } from '../client/use-request.ts'
import { useStore } from '../client/use-store.ts'
import { CompletedInput } from '../form/CompletedInput.tsx'
import { CopyButton } from '../parts/CopyButton.tsx'
import { Visible } from '../parts/Visible.tsx'
import { InlineText } from '../results/Markdown.tsx'
import { useConsole } from '../shell/context.ts'
import { ResourceView } from './ResourceView.tsx'

export function TemplatePane({ template }: { template: ResourceTemplateType }) {
  const { connection } = useConsole()
  const { status } = useStore(connection.state)
  const { uriTemplate, title, name, description } = template
  const [values, setValues] = useState<Readonly<Record<string, string>>>({})
  const [state, send] = useRequest()
  const parsed = new UriTemplate(uriTemplate)
  const uri = parsed.expand(values)
  const read = (event: Event) => {
    event.preventDefault()
    void send({ method: 'resources/read', params: { uri } })
  }
  return (
    <section class="pane pane-result" aria-label="Template">
      <header class="view-head">
        <div class="grow">
          <h2 class="view-title cut">
            <Visible text={title ?? name} />
          </h2>
          <p class="faint mono cut">
            <Visible text={uriTemplate} />
          </p>
        </div>
      </header>
      <form class="template-form stack-16" onSubmit={read}>
        {description !== undefined && (
          <p class="muted">
            <InlineText text={description} />
          </p>
        )}
        {parsed.variableNames.map(variable => (
          <CompletedInput
            key={variable}
            completes={{ type: 'ref/resource', uri: uriTemplate }}
            name={variable}
            values={values}
            onInput={value => setValues(all => ({ ...all, [variable]: value }))}
          />
        ))}
        <div class="row">
          <button type="submit" class="button button-primary" disabled={status !== 'connected'}>
            Read
          </button>
          <code class="cut grow">
            <Visible text={uri} />
          </code>
          <CopyButton isIcon text={uri} label="Copy URI" />
        </div>
      </form>
      {state.status !== 'idle' && <ResourceView state={state} />}
    </section>
  )
}
