// The exports of the package.
import { toolrack } from './app.ts'
import { audio, embeddedResource, image, resourceLink, text } from './registry/content.ts'
import { file } from './registry/file-content.ts'
import { json } from './registry/json-value.ts'

// Declarations must name the types that `Type` makes. Where another version is installed, only this
// package can name them.
export type * from '@sinclair/typebox'
export { Type } from '@sinclair/typebox'
export type { Schema as JsonSchema } from '@toolrack/json-schema/validator'
export { createServer, type ServerOptions, type ToolrackOptions } from './app.ts'
export type { ClaimNames } from './auth/caller-claims.ts'
export type { OptionParts, PluginSettings, ServerSettings } from './config/options.ts'
export type { ListInput } from './config/setting-types.ts'
export { ConfigError } from './config/settings.ts'
export type { Door } from './doors/door.ts'
export type { EndedCaller, EndedListener, EndedRequest, EndedTarget } from './observability/ended-request.ts'
export type { StartUpReport } from './observability/start-up.ts'
export type { BlockOf, BlockType, ContentBlock } from './protocol/blocks.ts'
export type { JsonObject, RequestId } from './protocol/messages.ts'
export type { ClientCapabilities, LogLevel, RequestMeta } from './protocol/schemas/common.ts'
export type { Annotations, Icon, ResourceContents } from './protocol/schemas/contents.ts'
export type {
  CallToolResult,
  CreateMessageResult,
  GetPromptResult,
  ListRootsResult,
  ReadResourceResult,
} from './protocol/schemas/results.ts'
export type * from './registry/call-state.ts'
export type { Definition } from './registry/catalog.ts'
export { type BlockExtras, ToolError } from './registry/content.ts'
export { type Condition, RegistrationError, type Requires } from './registry/definition.ts'
export type { FileContent, FileOptions, FileSource } from './registry/file-content.ts'
export type {
  ElicitAnswer,
  ElicitParams,
  FormContent,
  FormParams,
  FormSchema,
  UrlParams,
} from './registry/form-types.ts'
export type {
  InputContext,
  LogMethod,
  SampleParams,
  TokenRequest,
  ToolCaller,
  ToolClient,
  ToolContext,
} from './registry/handler-context.ts'
export type { Next, OnCall, ToolCall, ToolHooks, ToolInfo, Visible } from './registry/hooks.ts'
export type { Jsonified } from './registry/json-value.ts'
export {
  type Complete,
  definePrompt,
  type HandlerContext,
  type OnGetPrompt,
  type PromptArgument,
  type PromptArguments,
  type PromptDefinition,
  type PromptInfo,
  type PromptRequest,
  type PromptReturn,
  type VisiblePrompt,
} from './registry/prompt.ts'
export {
  defineResource,
  type OnReadResource,
  type ResourceDefinition,
  type ResourceInfo,
  type ResourceRequest,
  type ResourceReturn,
  type TemplateVariables,
  type VisibleResource,
} from './registry/resource.ts'
export type { AnySchema, Inferred, Static, TypeBoxSchema, TypedSchema } from './registry/schema-types.ts'
export type { DefinitionSource } from './registry/source.ts'
export type { StandardJsonSchema, StandardSchema, ToJsonSchema } from './registry/standard-schema.ts'
export type { ToolAnnotations } from './registry/tool-annotations.ts'
export {
  defineTool,
  type Literals,
  type RateLimit,
  type TaskSupport,
  type ToolContent,
  type ToolDefinition,
  type ToolErrorResult,
  type ToolOptions,
  type ToolResult,
  type ToolReturn,
  type ToolText,
} from './registry/tool-definition.ts'
export type { ToolServer } from './registry/tool-server.ts'
export type { Caller } from './request/exchange.ts'
export type { State } from './state/state.ts'
export type { Toolrack } from './toolrack.ts'

/** The functions that make content of a result, under one name: `content.text('…')`. */
export const content = Object.freeze({ text, json, image, audio, file, resourceLink, embeddedResource })
export { audio, embeddedResource, file, image, json, resourceLink, text, toolrack }
export default toolrack
