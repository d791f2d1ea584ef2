// What the package exports.
import { toolrack } from './app.ts'

export { Type } from '@sinclair/typebox'
export { createServer, type ServerOptions } from './app.ts'
export type { ToolrackOptions } from './config/options.ts'
export { ConfigError } from './config/settings.ts'
export type * from './registry/call-state.ts'
export { audio, embeddedResource, image, resourceLink, ToolError, text } from './registry/content.ts'
export { type FileContent, type FileOptions, type FileSource, file } from './registry/file-content.ts'
export type { TokenRequest, ToolCaller, ToolContext } from './registry/handler-context.ts'
export type { Next, OnCall, ToolCall, ToolClient, ToolHooks, ToolInfo, Visible } from './registry/hooks.ts'
export { json } from './registry/json-value.ts'
export { definePrompt, type PromptDefinition } from './registry/prompt.ts'
export { defineResource, type ResourceDefinition } from './registry/resource.ts'
export { defineTool, type Static, type ToolDefinition } from './registry/tool-definition.ts'
export type { Caller } from './request/exchange.ts'
export { toolrack }
export default toolrack
