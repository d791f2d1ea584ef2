// What a run must show: the SUCCESS checks that a server gets which does everything, and what is not run yet.
// A tick of the suite proves little, since a check that was never reached fails nothing: the numbers do.

/** The wire that a scenario is run on; `extra` for those that are in no revision's set of requirements. */
type Column = '2025-11-25' | '2026-07-28' | 'extra'
type Counts = Readonly<Partial<Record<Column, number>>>

export interface Run {
  readonly name: string
  /** How the suite's program is told. */
  readonly options: readonly string[]
  /** Which number of a scenario applies: that of the first column which has one. */
  readonly columns: readonly Column[]
}

/** Between them they run every scenario on every wire that it knows; the last one on the oldest of these. */
export const RUNS: readonly Run[] = [
  { name: '2025-11-25', options: ['--requirements', '2025-11-25'], columns: ['2025-11-25'] },
  { name: '2026-07-28', options: ['--requirements', '2026-07-28'], columns: ['2026-07-28'] },
  { name: '--suite all', options: ['--suite', 'all'], columns: ['2025-11-25', '2026-07-28', 'extra'] },
]

const older = (count: number): Counts => ({ '2025-11-25': count })
const newer = (count: number): Counts => ({ '2026-07-28': count })
const both = (olderCount: number, newerCount = olderCount): Counts => ({ ...older(olderCount), ...newer(newerCount) })
const extra = (count: number): Counts => ({ extra: count })

/** By scenario; without a number for it, a wire does not apply. */
export const EXPECTED: Readonly<Record<string, Counts>> = {
  'server-initialize': older(3),
  'server-session-lifecycle': older(3),
  'server-stateless': newer(30),
  'logging-set-level': older(2),
  ping: older(2),
  'completion-complete': both(2),
  'tools-list': both(3, 4),
  'tools-call-simple-text': both(2),
  'tools-call-image': both(2),
  'tools-call-audio': both(2),
  'tools-call-embedded-resource': both(2),
  'tools-call-mixed-content': both(2),
  'tools-call-with-logging': older(2),
  'tools-call-error': both(2),
  'tools-call-with-progress': both(2),
  'tools-call-sampling': older(2),
  'tools-call-elicitation': older(2),
  'json-schema-2020-12': both(8),
  'elicitation-sep1034-defaults': older(6),
  // Mere information where the stream does not close before the answer.
  'server-sse-polling': older(3),
  // The second is mere information where a client that names the stream first gets JSON.
  'server-sse-multiple-streams': both(2),
  'elicitation-sep1330-enums': older(6),
  'resources-list': both(2),
  'resources-read-text': both(2),
  'resources-read-binary': both(2),
  'resources-templates-read': both(2),
  'resources-subscribe': older(2),
  'resources-unsubscribe': older(2),
  'sep-2164-resource-not-found': newer(4),
  'sep-2640-skills-directory': extra(7),
  'sep-2640-skills-enumeration': extra(32),
  'sep-2640-skills-manifest': extra(6),
  'prompts-list': both(2),
  'prompts-get-simple': both(2),
  'prompts-get-with-args': both(2),
  'prompts-get-embedded-resource': both(2),
  'prompts-get-with-image': both(2),
  'dns-rebinding-protection': both(2),
  caching: newer(8),
  'http-header-validation': newer(14),
  'http-custom-header-server-validation': newer(10),
  'tasks-lifecycle': newer(9),
  'tasks-capability-negotiation': newer(5),
  'tasks-wire-fields': newer(4),
  'tasks-request-state-removal': newer(3),
  'tasks-mrtr-input': newer(4),
  'tasks-request-headers': newer(5),
  'tasks-dispatch-and-envelope': newer(9),
  'tasks-status-notifications': newer(0),
  'tasks-required-task-error': newer(3),
  'tasks-mrtr-composition': newer(2),
  'input-required-result-basic-elicitation': newer(3),
  'input-required-result-basic-sampling': newer(3),
  'input-required-result-basic-list-roots': newer(3),
  'input-required-result-request-state': newer(3),
  'input-required-result-multiple-input-requests': newer(3),
  'input-required-result-multi-round': newer(4),
  'input-required-result-missing-input-response': newer(2),
  'input-required-result-non-tool-request': newer(3),
  'input-required-result-result-type': newer(2),
  'input-required-result-unsupported-methods': newer(2),
  'input-required-result-tampered-state': newer(2),
  'input-required-result-capability-check': newer(2),
  'input-required-result-ignore-extra-params': newer(2),
  'input-required-result-validate-input': newer(3),
}

/** The suite skips this one for everybody. */
export const UNAVOIDABLE_SKIPS: readonly string[] = ['tasks-status-notifications']

const skills = Object.keys(EXPECTED).filter(name => name.startsWith('sep-2640-skills-'))

/** Scenarios that run and are not judged, by the reason. */
export const LEFT_OUT: Readonly<Record<string, readonly string[]>> = {
  'need skills, later issue': skills,
}
