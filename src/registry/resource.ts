// A resource or resource template, as defined and as served.
// Spec 2026-07-28: server/resources.
import { Type } from '@sinclair/typebox'
import type { JsonObject } from '../protocol/messages.ts'
import { Annotations, type Icon, MimeType } from '../protocol/schemas/contents.ts'
import type { ReadResourceResult } from '../protocol/schemas/results.ts'
import type { Caller } from '../request/exchange.ts'
import {
  assertFunctions,
  assertShape,
  createListing,
  ExplainableError,
  LISTED,
  RegistrationError,
  Requires,
  Scopes,
  tagDefinition,
} from './definition.ts'
import { findVariableFix } from './foreign-uri.ts'
import type { ToolCaller, ToolClient } from './handler-context.ts'
import { assertComplete, type Complete, type HandlerContext } from './prompt.ts'
import type { Entry } from './registry.ts'
import { parseTemplate, type UriTemplate } from './uri-template.ts'

type ResourceBody = string | Uint8Array
/** Text, bytes, or the whole `contents`; undefined if the resource does not exist. */
export type ResourceReturn = ResourceBody | Pick<ReadResourceResult, 'contents'> | undefined

/** The variables of a template, by name; of `users://{id}/{+path}`, `id` and `path`. */
export type TemplateVariables<Template extends string> = { [Name in VariableName<Template>]: string }

type VariableName<Template extends string> = string extends Template
  ? string
  : Template extends `${string}{${infer Expression}}${infer Rest}`
    ? (Expression extends `+${infer Name}` ? Name : Expression) | VariableName<Rest>
    : never

/** The facts on a resource, a template, or a URI of a template, for rules. */
export interface ResourceInfo {
  /** Undefined for a template in a list. */
  readonly uri?: string | undefined
  readonly uriTemplate?: string | undefined
  /** The values of the template's expressions in `uri`. */
  readonly variables?: Readonly<Record<string, string>> | undefined
  readonly name: string
  readonly title?: string | undefined
  readonly description?: string | undefined
  readonly mimeType?: string | undefined
  readonly annotations?: Readonly<Annotations> | undefined
  readonly scopes: readonly string[]
  readonly _meta?: Readonly<Record<string, unknown>> | undefined
}

/**
 * Whether a caller sees a resource and may read it. Must answer at once, since lists do not wait for
 * it.
 */
export type VisibleResource = (resource: ResourceInfo, caller: Caller | undefined, client: ToolClient) => boolean

/** A request, as `onReadResource` gets it. */
export interface ResourceRequest {
  readonly resource: ResourceInfo
  readonly uri: string
  readonly variables: Readonly<Record<string, string>>
  /** Undefined without access control. */
  readonly caller: ToolCaller | undefined
  readonly ctx: HandlerContext
}

/**
 * Runs around the handler of a resource. Returns the result: usually that of `next`.
 *
 * @param next calls the next hook, and the handler after the last one
 */
export type OnReadResource = (request: ResourceRequest, next: () => Promise<unknown>) => unknown

/**
 * A resource, or a template of resources, as its author writes it. Without a type argument, any
 * resource; without a template, `Template` is `never`.
 */
// biome-ignore lint/suspicious/noExplicitAny: the template of any resource
export interface ResourceDefinition<Template extends string = any> {
  /**
   * A fixed URI; else `uriTemplate` with `{name}` (one decoded segment) and `{+name}` (the rest,
   * without `.` and `..` segments). Neither matches control characters.
   */
  uri?: string | undefined
  uriTemplate?: Template | undefined
  name: string
  title?: string | undefined
  description?: string | undefined
  mimeType?: string | undefined
  icons?: Icon[] | undefined
  annotations?: Annotations | undefined
  /** Bytes, if known. */
  size?: number | undefined
  _meta?: Record<string, unknown> | undefined
  scopes?: string[] | undefined
  /** Environment variables that it needs to be served; one of an inner array is enough. */
  requires?: Requires | undefined
  /** Who sees it and may read it, in addition to scopes. */
  visible?: VisibleResource | undefined
  /** Completion for the template's variables, by name. */
  complete?: { [Name in VariableName<Template>]?: Complete | undefined } | undefined
  /** @param variables the values of the template's expressions */
  handler(
    uri: string,
    variables: TemplateVariables<Template>,
    ctx: HandlerContext,
  ): ResourceReturn | Promise<ResourceReturn>
}

export interface Resource extends Entry {
  readonly kind: 'resource'
  readonly template: UriTemplate | undefined
  readonly mimeType: string | undefined
  readonly scopes: readonly string[]
  readonly requires: Requires
  /** The facts that rules see. */
  readonly info: ResourceInfo
  /** The hooks of its file, the outermost first. */
  readonly onReadResource: readonly OnReadResource[]
  readonly visible: VisibleResource | undefined
  readonly complete: Readonly<Record<string, Complete | undefined>>
  handler: ResourceDefinition['handler']
}

const ResourceShape = Type.Object(
  {
    ...LISTED,
    uri: Type.Optional(Type.String({ format: 'uri' })),
    uriTemplate: Type.Optional(Type.String({ format: 'uri-template', pattern: '^[A-Za-z][A-Za-z0-9+.-]*:' })),
    name: Type.String({ minLength: 1, maxLength: 256 }),
    mimeType: Type.Optional(MimeType),
    annotations: Type.Optional(Annotations),
    size: Type.Optional(Type.Integer({ minimum: 0 })),
    scopes: Scopes,
    requires: Requires,
    visible: Type.Optional(Type.Unknown()),
    complete: Type.Optional(Type.Object({})),
    handler: Type.Unknown(),
  },
  { additionalProperties: false },
)

/**
 * Defines a resource, or a template of resources.
 * Types the variables of the handler from the template. Registration checks the definition.
 */
export function defineResource<const Template extends string = never>(
  definition: ResourceDefinition<Template>,
): ResourceDefinition<Template> {
  return tagDefinition('resource', definition)
}

/** @throws RegistrationError naming the resource, the field and the expected value */
export function buildResource(definition: ResourceDefinition): Resource {
  assertShape('resource', definition.name, ResourceShape, definition)
  assertFunctions('resource', definition, ['visible'])
  const { uri, uriTemplate, handler, scopes, requires = [], complete, visible, ...listable } = definition
  if ((uri === undefined) === (uriTemplate === undefined)) {
    throw new RegistrationError(
      'resource',
      definition.name,
      `needs either uri or uriTemplate; write uri: 'docs://style'`,
    )
  }
  if (uriTemplate !== undefined && definition.size !== undefined) {
    throw new RegistrationError('resource', definition.name, 'size: a template stands for many resources and has none')
  }
  const template = uriTemplate === undefined ? undefined : parseResourceTemplate(definition.name, uriTemplate)
  const fault = findForeignVariable(definition)
  if (fault !== undefined) throw new RegistrationError('resource', definition.name, fault)
  assertCompletion(definition.name, complete, template?.names)
  const listed = createListing({ uri, uriTemplate, ...listable }, { annotations: Annotations })
  return Object.freeze({
    kind: 'resource',
    key: uri ?? uriTemplate!,
    listed,
    json: JSON.stringify(listed),
    template,
    mimeType: definition.mimeType,
    scopes: Object.freeze([...(scopes ?? [])]),
    requires,
    info: createInfo(definition, listed),
    onReadResource: [],
    visible: visible?.bind(definition),
    complete: Object.freeze({ ...complete }),
    handler: handler.bind(definition),
  } satisfies Resource)
}

/** @param listed a frozen copy of the definition's facts */
function createInfo({ name, scopes = [] }: ResourceDefinition, listed: JsonObject): ResourceInfo {
  const { uri, uriTemplate, title, description, mimeType, annotations, _meta } = listed as Partial<ResourceInfo>
  const facts = { uri, uriTemplate, name, title, description, mimeType, annotations, _meta }
  return Object.freeze({ ...facts, scopes: Object.freeze([...scopes]) })
}

function parseResourceTemplate(name: string, template: string): UriTemplate {
  try {
    return parseTemplate(template)
  } catch (cause) {
    const fix = findVariableFix(template)
    const text = `${cause instanceof Error ? cause.message : cause}${fix === undefined ? '' : `; ${fix}`}`
    throw new RegistrationError('resource', name, `uriTemplate: ${text}`, { cause })
  }
}

/** A variable in the style of another framework, such as `users://:id`. It would be plain text. */
function findForeignVariable({ uri, uriTemplate }: ResourceDefinition): string | undefined {
  const fix = findVariableFix(uri ?? uriTemplate)
  return fix && `${uri === undefined ? 'uriTemplate' : 'uri'}: a variable is written {name}; ${fix}`
}

/** @param names the variables of the template */
function assertCompletion(
  resource: string,
  complete: Readonly<Record<string, unknown>> = {},
  names: readonly string[] = [],
): void {
  for (const [name, suggest] of Object.entries(complete)) {
    if (suggest === undefined) continue
    const fault = `complete.${name} is not a variable`
    if (!names.includes(name))
      throw new ExplainableError('resource', resource, fault, { what: 'variable', name, names })
    assertComplete('resource', resource, `complete.${name}`, suggest)
  }
}
