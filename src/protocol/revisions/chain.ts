// Builds the revisions, oldest first. Each one states its differences from the one before and
// converts its results to that one, so a new revision changes no older file.
import type { JsonObject } from '../messages.ts'
import { type AddedBlocks, createBlockStep } from './blocks-as-text.ts'
import type { ClientRequest, ErrorBody, Revision } from './revision.ts'

type Facts = Omit<Revision, 'version' | 'methods' | 'shapeResult' | 'shapeError' | 'shapeQuestion' | 'readAnswer'>

/** Applies to clients of this revision only. */
interface Own {
  readonly version: string
  /** The last step. @param newest the result before any step */
  finish?(method: string, result: JsonObject, newest: JsonObject): JsonObject
  shapeError?(error: ErrorBody): ErrorBody
}

export interface FirstRevision extends Own {
  readonly methods: readonly string[]
  readonly facts: Facts
}

export interface LaterRevision extends Own {
  /** Methods that this revision adds to those of the revision before. */
  readonly adds?: readonly string[]
  readonly removes?: readonly string[]
  readonly addsBlocks?: AddedBlocks
  readonly facts?: Partial<Facts>
  /** Removes what results contain for older revisions only. Applies to later revisions too. */
  hide?(method: string, result: JsonObject): JsonObject
  hideInQuestion?(question: ClientRequest): ClientRequest
  /** Converts a result of this revision to the revision before. */
  downgrade?(method: string, result: JsonObject): JsonObject
  /** The same for a request to the client. @param id of that request */
  downgradeQuestion?(question: ClientRequest, id: string): ClientRequest
  /** Converts a response from a client of the revision before. @param question in this revision */
  upgradeAnswer?(question: ClientRequest, answer: unknown): unknown
}

/** @returns newest first */
export function chainRevisions(first: FirstRevision, later: readonly LaterRevision[]): readonly Revision[] {
  let { methods, facts } = first
  const revisions = [createRevision(first, { ...facts, methods: new Set(methods) }, { older: [], newer: later })]
  for (const [index, revision] of later.entries()) {
    const { adds = [], removes = [] } = revision
    methods = [...methods.filter(method => !removes.includes(method)), ...adds]
    facts = { ...facts, ...revision.facts }
    const others = { older: later.slice(0, index + 1), newer: later.slice(index + 1) }
    revisions.unshift(createRevision(revision, { ...facts, methods: new Set(methods) }, others))
  }
  return Object.freeze(revisions)
}

interface Others {
  /** Oldest first, including the revision itself. */
  readonly older: readonly LaterRevision[]
  /** Oldest first. */
  readonly newer: readonly LaterRevision[]
}

type ShapeResult = Revision['shapeResult']
type ShapeQuestion = Revision['shapeQuestion']

function createRevision(
  { version, finish, shapeError = error => error }: Own,
  facts: Facts & Pick<Revision, 'methods'>,
  { older, newer }: Others,
): Revision {
  const down: Pick<LaterRevision, 'downgrade' | 'downgradeQuestion'>[] = newer
    .toReversed()
    .flatMap(revision => [createBlockStep(revision.addsBlocks), revision])
  const shapers: ShapeResult[] = present([...down.map(step => step.downgrade), ...older.map(({ hide }) => hide)])
  const askers: ShapeQuestion[] = present([
    ...down.map(step => step.downgradeQuestion),
    ...older.map(({ hideInQuestion }) => hideInQuestion),
  ])
  const readers = present(newer.map(({ upgradeAnswer }) => upgradeAnswer))
  const shape: ShapeResult = (method, newest) => shapers.reduce((result, step) => step(method, result), newest)
  return Object.freeze<Revision>({
    ...facts,
    version,
    shapeResult: finish ? (method, newest) => finish(method, shape(method, newest), newest) : shape,
    shapeError,
    shapeQuestion: (question, id) => askers.reduce((asked, step) => step(asked, id), question),
    readAnswer: (question, answer) => readers.reduce((read, step) => step(question, read), answer),
  })
}

const present = <T>(values: readonly (T | undefined)[]): T[] => values.filter(value => value !== undefined)
