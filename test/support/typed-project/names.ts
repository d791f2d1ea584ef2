// Everything that the public types lead to can be named in declarations.
import type {
  Caller,
  HandlerContext,
  PromptDefinition,
  ResourceDefinition,
  ServerOptions,
  ToolCall,
  ToolContext,
  ToolDefinition,
  ToolReturn,
} from 'toolrack'
import { audio, embeddedResource, file, image, json, resourceLink, ToolError, Type, text } from 'toolrack'
import type { CallResult, Contract, ListedTool, TestOptions, TestTools } from 'toolrack/testing'
import { app } from './server.js'

export const options = (each: Required<ServerOptions>) => ({ ...each })
export const tool = (each: Required<ToolDefinition>) => ({ ...each })
export const prompt = (each: Required<PromptDefinition>) => ({ ...each })
export const resource = (each: Required<ResourceDefinition>) => ({ ...each })
export const context = (each: ToolContext) => ({ ...each })
export const handlerContext = (each: HandlerContext) => ({ ...each })
export const call = (each: ToolCall) => ({ ...each })
export const caller = (each: Required<Caller>) => ({ ...each })
export const returned = (each: ToolReturn<unknown>) => each
export const content = [text('a'), image(new Uint8Array(), 'image/png'), audio(new Uint8Array(), 'audio/wav')]
export const links = [resourceLink({ uri: 'a:b', name: 'b' }), embeddedResource({ uri: 'a:b', text: 'c' })]
export const report = file('a', { name: 'a.txt' })
export const rows = json({ at: new Date(), seen: new Set([1]), by: new Map([['a', 1n]]) })
export const error = new ToolError('no')
export const rack = app.toolrack
export const startUp = app.toolrack.startUp
export const Shapes = Type.Object({
  array: Type.Array(Type.String()),
  record: Type.Record(Type.String(), Type.Number()),
  tuple: Type.Tuple([Type.String(), Type.Null()]),
  union: Type.Union([Type.Boolean(), Type.Unknown()]),
})

export const testOptions = (each: Required<TestOptions>) => ({ ...each })
export const result = (each: CallResult) => ({ ...each })
export const tested = (each: TestTools) => ({ ...each, clock: each.clock })
export const contract = (each: Contract) => ({ ...each, listed: [] as ListedTool[] })
