// The buttons to the right of the tabs: Example, Clear, the link; Format; Copy.
import type { Tool } from '@modelcontextprotocol/client'
import { formatJson } from '../form/json-text.ts'
import { CopyButton } from '../parts/CopyButton.tsx'
import { Icon } from '../parts/Icon.tsx'
import { toJson } from '../results/values.ts'
import { useConsole } from '../shell/context.ts'
import type { View } from './ArgumentsPane.tsx'
import type { Draft } from './draft.ts'
import { findExample } from './example.ts'
import { createLink } from './link.ts'
import { toSchemas } from './SchemaTab.tsx'

interface Props {
  readonly tool: Tool
  readonly shown: View
  readonly draft: Draft
}

export function ArgumentsTools({ tool, shown, draft }: Props) {
  const { drafts } = useConsole()
  if (shown === 'schema') {
    return (
      <div class="row bar-tools">
        <CopyButton text={() => toJson(toSchemas(tool))} label="Copy the schema" />
      </div>
    )
  }
  const example = findExample(tool)
  return (
    <div class="row bar-tools">
      {shown === 'json' && (
        <ToolButton
          name="Format"
          isDisabled={draft.args === undefined}
          onClick={() => drafts.write(tool, formatJson(draft.last))}
        />
      )}
      {example !== undefined && <ToolButton name="Example" onClick={() => drafts.fill(tool, example)} />}
      {shown === 'form' && (
        <>
          <ToolButton name="Clear" onClick={() => drafts.clear(tool)} />
          <LinkButton link={createLink(tool.name, draft.text)} />
        </>
      )}
    </div>
  )
}

const ToolButton = ({ name, isDisabled, onClick }: { name: string; isDisabled?: boolean; onClick: () => void }) => (
  <button type="button" class="button button-ghost button-s" disabled={isDisabled} onClick={onClick}>
    {name}
  </button>
)

const LINK = 'Copy a link to these arguments'

const LinkButton = ({ link }: { link: string | undefined }) =>
  link === undefined ? (
    <button type="button" class="icon-button" aria-label={LINK} title="The arguments are too long for a link" disabled>
      <Icon name="link" />
    </button>
  ) : (
    <CopyButton text={link} label={LINK} icon="link" isIcon />
  )
