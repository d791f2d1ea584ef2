// The methods, by name. Which of them a revision knows is the revision's own affair.
import { complete } from './completion.ts'
import { discover, hasCompletions, hasPrompts, hasResources, hasTasks, hasTools } from './discover.ts'
import { initialize, ping } from './initialize.ts'
import { setLevel } from './logging.ts'
import type { Method } from './method.ts'
import { getPrompt, listPrompts } from './prompts.ts'
import { subscribe, unsubscribe } from './resource-subscriptions.ts'
import { listResources, listResourceTemplates, readResource } from './resources.ts'
import { listen } from './subscriptions.ts'
import { taskResult } from './task-result.ts'
import { cancelTask, getTask, listTasks, updateTask } from './tasks.ts'
import { callTool, listTools } from './tools.ts'

export const METHODS: ReadonlyMap<string, Method> = new Map([
  ['server/discover', discover],
  ['initialize', initialize],
  ['ping', ping],
  ['tools/list', { ...listTools, isOffered: hasTools }],
  ['tools/call', { ...callTool, isOffered: hasTools }],
  ['resources/list', { ...listResources, isOffered: hasResources }],
  ['resources/templates/list', { ...listResourceTemplates, isOffered: hasResources }],
  ['resources/read', { ...readResource, isOffered: hasResources }],
  ['resources/subscribe', { ...subscribe, isOffered: hasResources }],
  ['resources/unsubscribe', { ...unsubscribe, isOffered: hasResources }],
  ['prompts/list', { ...listPrompts, isOffered: hasPrompts }],
  ['prompts/get', { ...getPrompt, isOffered: hasPrompts }],
  ['completion/complete', { ...complete, isOffered: hasCompletions }],
  ['logging/setLevel', setLevel],
  ['subscriptions/listen', listen],
  ['tasks/get', { ...getTask, isOffered: hasTasks }],
  ['tasks/update', { ...updateTask, isOffered: hasTasks }],
  ['tasks/cancel', { ...cancelTask, isOffered: hasTasks }],
  ['tasks/result', { ...taskResult, isOffered: hasTasks }],
  ['tasks/list', { ...listTasks, isOffered: hasTasks }],
])
