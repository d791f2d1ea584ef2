// What a run must show: the SUCCESS checks that a server gets which does everything, and what is not run yet.
// A tick of the suite proves little, since a check that was never reached fails nothing: the numbers do.

/** The revisions that are run; each is a column of the table. */
export const REVISIONS = ['2026-07-28'] as const
export type Revision = (typeof REVISIONS)[number]

/** By scenario and revision; without a number it does not apply. */
export const EXPECTED: Readonly<Record<string, Readonly<Partial<Record<Revision, number>>>>> = {
  'server-stateless': { '2026-07-28': 30 },
  'completion-complete': { '2026-07-28': 2 },
  'tools-list': { '2026-07-28': 4 },
  'tools-call-simple-text': { '2026-07-28': 2 },
  'tools-call-image': { '2026-07-28': 2 },
  'tools-call-audio': { '2026-07-28': 2 },
  'tools-call-embedded-resource': { '2026-07-28': 2 },
  'tools-call-mixed-content': { '2026-07-28': 2 },
  'tools-call-error': { '2026-07-28': 2 },
  'tools-call-with-progress': { '2026-07-28': 2 },
  'json-schema-2020-12': { '2026-07-28': 8 },
  // The second is for servers that stream a list.
  'server-sse-multiple-streams': { '2026-07-28': 1 },
  'resources-list': { '2026-07-28': 2 },
  'resources-read-text': { '2026-07-28': 2 },
  'resources-read-binary': { '2026-07-28': 2 },
  'resources-templates-read': { '2026-07-28': 2 },
  'sep-2164-resource-not-found': { '2026-07-28': 4 },
  'prompts-list': { '2026-07-28': 2 },
  'prompts-get-simple': { '2026-07-28': 2 },
  'prompts-get-with-args': { '2026-07-28': 2 },
  'prompts-get-embedded-resource': { '2026-07-28': 2 },
  'prompts-get-with-image': { '2026-07-28': 2 },
  'dns-rebinding-protection': { '2026-07-28': 2 },
  caching: { '2026-07-28': 8 },
  'http-header-validation': { '2026-07-28': 14 },
  'http-custom-header-server-validation': { '2026-07-28': 10 },
  'input-required-result-basic-elicitation': { '2026-07-28': 3 },
  'input-required-result-basic-sampling': { '2026-07-28': 3 },
  'input-required-result-basic-list-roots': { '2026-07-28': 3 },
  'input-required-result-request-state': { '2026-07-28': 3 },
  'input-required-result-multiple-input-requests': { '2026-07-28': 3 },
  'input-required-result-non-tool-request': { '2026-07-28': 3 },
  'input-required-result-validate-input': { '2026-07-28': 3 },
  'input-required-result-multi-round': { '2026-07-28': 4 },
  'input-required-result-missing-input-response': { '2026-07-28': 2 },
  'input-required-result-result-type': { '2026-07-28': 2 },
  'input-required-result-unsupported-methods': { '2026-07-28': 2 },
  'input-required-result-tampered-state': { '2026-07-28': 2 },
  'input-required-result-capability-check': { '2026-07-28': 2 },
  'input-required-result-ignore-extra-params': { '2026-07-28': 2 },
}

/** The suite skips this one for everybody. */
export const UNAVOIDABLE_SKIPS: readonly string[] = ['tasks-status-notifications']

/** Scenarios that are not run, by the reason. */
export const LEFT_OUT: Readonly<Record<string, readonly string[]>> = {
  'needs a revision with a handshake, later issue': [
    'server-initialize',
    'server-session-lifecycle',
    'server-sse-polling',
    'logging-set-level',
    'ping',
    'resources-subscribe',
    'resources-unsubscribe',
    'tools-call-with-logging',
    'tools-call-sampling',
    'tools-call-elicitation',
    'elicitation-sep1034-defaults',
    'elicitation-sep1330-enums',
  ],
  'needs tasks, later issue': [
    'tasks-lifecycle',
    'tasks-dispatch-and-envelope',
    'tasks-capability-negotiation',
    'tasks-request-headers',
    'tasks-wire-fields',
    'tasks-mrtr-input',
    'tasks-request-state-removal',
    'tasks-required-task-error',
    'tasks-mrtr-composition',
    'tasks-status-notifications',
  ],
  'needs skills, later issue': ['sep-2640-skills-directory', 'sep-2640-skills-enumeration', 'sep-2640-skills-manifest'],
}
