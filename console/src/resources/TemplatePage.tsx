// One resource template: its variables, with suggestions, and what it reads.
import { type ResourceTemplateType, UriTemplate } from '@modelcontextprotocol/client'
import { useState } from 'preact/hooks'
import { useRequest } from '../client/use-request.ts'
import { CompletedInput } from '../form/CompletedInput.tsx'
import { Prose, Visible } from '../results/PlainText.tsx'
import { Heading } from '../shell/Heading.tsx'
import { Contents } from './ResourcePage.tsx'

export function TemplatePage({ template }: { template: ResourceTemplateType }) {
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
    <>
      <Heading>
        <Visible text={title ?? name} />
      </Heading>
      <p class="mono">
        <Visible text={uriTemplate} />
      </p>
      <Prose text={description} />
      <form class="panel" onSubmit={read}>
        {parsed.variableNames.map(variable => (
          <CompletedInput
            key={variable}
            completes={{ type: 'ref/resource', uri: uriTemplate }}
            name={variable}
            values={values}
            onInput={value => setValues(all => ({ ...all, [variable]: value }))}
          />
        ))}
        <p>
          <code>{uri}</code>
        </p>
        <button type="submit" class="button button-primary">
          Read
        </button>
      </form>
      <Contents state={state} />
    </>
  )
}
