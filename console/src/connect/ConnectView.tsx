// How other clients reach this server: the same as on the server's page and in docs/clients.md.
import { type Client, describeClients } from '../../../src/clients/index.ts'
import { Code } from '../parts/Code.tsx'
import { toWebUrl } from '../results/files.ts'
import { useConsole } from '../shell/context.ts'
import { Heading } from '../shell/Heading.tsx'

export function ConnectView() {
  const { config } = useConsole()
  const clients = describeClients({ ...config, url: config.publicUrl })
  return (
    <>
      <Heading>Connect</Heading>
      <h2>URL</h2>
      <Code label="URL" text={config.publicUrl} />
      <h2>Clients</h2>
      <ul class="list">
        {clients.map(client => (
          <li key={client.id}>
            <ClientSteps client={client} />
          </li>
        ))}
      </ul>
    </>
  )
}

const ClientSteps = ({
  client: { title, needs, steps, snippets, deepLink, problems, limits, docs },
}: {
  client: Client
}) => (
  <details>
    <summary>
      <strong>{title}</strong> {needs.length > 0 && <span class="hint">needs {needs.join(', ')}</span>}
    </summary>
    {problems.map(({ text, fix }) => (
      <p key={text} class="notice notice-warning">
        {text} {fix}
      </p>
    ))}
    <ol>
      {steps.map(step => (
        <li key={step}>{step}</li>
      ))}
    </ol>
    {deepLink !== undefined && (
      <p>
        <a href={deepLink} rel="noopener noreferrer">
          Add to {title}
        </a>
      </p>
    )}
    {snippets.map(({ title: heading, file, text }) => (
      <section key={heading}>
        <h3>
          {heading} {file !== undefined && <code>{file}</code>}
        </h3>
        <Code label={heading} text={text} />
      </section>
    ))}
    {limits.length > 0 && (
      <ul>
        {limits.map(limit => (
          <li key={limit}>{limit}</li>
        ))}
      </ul>
    )}
    {toWebUrl(docs) !== undefined && (
      <p>
        <a href={docs} target="_blank" rel="noopener noreferrer">
          Documentation of {title}
        </a>
      </p>
    )}
  </details>
)
