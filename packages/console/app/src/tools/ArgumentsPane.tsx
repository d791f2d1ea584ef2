// The pane of a tool's arguments: its description, its form, and the call.
import type { Tool } from '@modelcontextprotocol/client'
import { useEffect, useId, useState } from 'preact/hooks'
import type { Call } from '../calls/call.ts'
import { useStore } from '../client/use-store.ts'
import { focusField, hasHalf } from '../form/Fields.tsx'
import { useChecks } from '../form/use-checks.ts'
import { type Tab, TabPanel, Tabs } from '../parts/Tabs.tsx'
import { Visible } from '../parts/Visible.tsx'
import { InlineText, Markdown } from '../results/Markdown.tsx'
import { useConsole } from '../shell/context.ts'
import { BackToList } from '../shell/PhoneNav.tsx'
import { parseRoute, toHash } from '../shell/router.ts'
import { ArgumentsTools } from './ArgumentsTools.tsx'
import { Badges } from './Badges.tsx'
import { CallBar } from './CallBar.tsx'
import { useDraft } from './draft.ts'
import { Faults } from './Faults.tsx'
import { FormTab } from './FormTab.tsx'
import { JsonTab } from './JsonTab.tsx'
import { readLink } from './link.ts'
import { SchemaTab } from './SchemaTab.tsx'

const ID = 'arg'

const MAX_ABOUT = 400

export type View = 'form' | 'json' | 'schema'

const TABS: readonly Tab<View>[] = [
  { id: 'form', label: 'Form' },
  { id: 'json', label: 'JSON' },
  { id: 'schema', label: 'Schema' },
]

interface Props {
  readonly tool: Tool
  /** The newest call of the tool. */
  readonly call: Call | undefined
}

export function ArgumentsPane({ tool, call }: Props) {
  const { calls, connection, drafts, view } = useConsole()
  const { era, status } = useStore(connection.state)
  useFilledByLink(tool)
  const draft = useDraft(tool)
  const checks = useChecks(tool.inputSchema, draft.last)
  const [shown, show] = useState<View>('form')
  const [focused, focus] = useState<readonly string[]>()
  const [asTask, setAsTask] = useState(false)
  const panel = useId()
  const support = era === 'legacy' ? tool.execution?.taskSupport : undefined
  const isRunning = call?.status === 'running'
  const mayCall = draft.args !== undefined && status === 'connected'

  const start = () => {
    if (draft.args === undefined || !mayCall || isRunning) return
    checks.reset()
    view.pane.set('result')
    void calls.start(tool, draft.args, support === 'required' || (support === 'optional' && asTask))
  }
  const check = () => {
    if (!mayCall || isRunning || hasHalf(ID)) return
    const [first] = checks.check(draft.args).values()
    if (first === undefined) start()
    else focus([...first.path])
  }
  const goTo = (path: readonly string[]) => {
    show('form')
    focus([...path])
  }
  useEffect(() => {
    if (focused !== undefined && shown === 'form') focusField(ID, focused)
  }, [focused, shown])

  return (
    <section class="pane pane-form" aria-label="Arguments">
      <ToolHead tool={tool} />
      <div class="pane-bar">
        <Tabs label="Arguments as" tabs={TABS} chosen={shown} panelId={panel} onChoose={next => show(next)} />
        <ArgumentsTools tool={tool} shown={shown} draft={draft} />
      </div>
      <TabPanel id={panel} chosen={shown}>
        {shown === 'form' && (
          <FormTab
            tool={tool}
            checks={checks}
            draft={draft}
            idPrefix={ID}
            onChange={args => drafts.fill(tool, args)}
            onJson={() => show('json')}
          />
        )}
        {shown === 'json' && <JsonTab draft={draft} issues={checks.issues} onText={text => drafts.write(tool, text)} />}
        {shown === 'schema' && <SchemaTab tool={tool} />}
      </TabPanel>
      <Faults issues={draft.fault === undefined ? checks.issues : undefined} onField={goTo} onCallAnyway={start} />
      <CallBar
        tool={tool}
        draft={draft}
        isJudged={checks.isJudged}
        isRunning={isRunning}
        mayCall={mayCall}
        wasRefused={checks.issues.size > 0 && draft.fault === undefined}
        onCall={check}
        support={support}
        asTask={asTask}
        onAsTask={setAsTask}
      />
    </section>
  )
}

function ToolHead({ tool }: { tool: Tool }) {
  const title = tool.title ?? tool.annotations?.title
  return (
    <header class="tool-head">
      <BackToList section="tools">All tools</BackToList>
      <h2>
        <Visible text={tool.name} />
      </h2>
      {title !== undefined && title !== tool.name && (
        <p class="tool-title">
          <Visible text={title} />
        </p>
      )}
      {tool.description !== undefined && <About text={tool.description} />}
      <Badges tool={tool} />
    </header>
  )
}

/** A short text is shown whole. Of a long one only the first paragraph, so that the form is visible. */
function About({ text }: { text: string }) {
  const [isWhole, showWhole] = useState(false)
  const [first = ''] = text.trim().split(/\n\s*\n/)
  const isLong = first.length > MAX_ABOUT || first.length < text.trim().length
  const cut = first.length > MAX_ABOUT ? `${first.slice(0, MAX_ABOUT)}…` : first
  return (
    <>
      {isWhole ? (
        <Markdown text={text} />
      ) : (
        <p>
          <InlineText text={cut} />
        </p>
      )}
      {isLong && (
        <button type="button" class="link-button" aria-expanded={isWhole} onClick={() => showWhole(!isWhole)}>
          {isWhole ? 'Less' : 'More'}
        </button>
      )}
    </>
  )
}

/**
 * An address with arguments fills the form once. They are then removed from it, so that a reload
 * keeps the edited ones.
 */
function useFilledByLink(tool: Tool): void {
  const { drafts } = useConsole()
  useEffect(() => {
    const read = () => {
      // The view of this tool may still exist when the address already names another one.
      const { name } = parseRoute(window.location.hash)
      const text = name === tool.name ? readLink(window.location.hash) : undefined
      if (text === undefined) return
      drafts.write(tool, text)
      window.history.replaceState(null, '', toHash({ section: 'tools', name: tool.name }))
    }
    read()
    window.addEventListener('hashchange', read)
    return () => window.removeEventListener('hashchange', read)
  }, [drafts, tool])
}
