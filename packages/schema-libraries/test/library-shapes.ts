// Shapes of values, as each schema library writes them, and values that most of them take.
import { Type as Type034 } from '@sinclair/typebox'
import { toStandardJsonSchema } from '@valibot/to-json-schema'
import { type } from 'arktype'
import { Type as Type1 } from 'typebox'
import * as v from 'valibot'
import { z } from 'zod'
import * as zm from 'zod/mini'

export interface Shape {
  readonly zod?: z.ZodType
  readonly mini?: zm.ZodMiniType
  readonly valibot?: v.GenericSchema
  readonly arktype?: unknown
  readonly typebox?: { readonly '0.34'?: object; readonly '1'?: object }
  /** `undefined` stands for a property that is missing. */
  readonly values: readonly unknown[]
}

const cat = z.object({ a: z.string() })
const dog = z.object({ b: z.number() })
const both = { a: 'x', b: 1 }
interface Tree {
  a: string
  next?: Tree | undefined
}
const Tree: z.ZodType<Tree> = z.object({
  a: z.string(),
  get next() {
    return Tree.optional()
  },
})
const valibotTree: v.GenericSchema = v.object({ a: v.string(), next: v.optional(v.lazy(() => valibotTree)) })
const Name = v.optional(v.string())

const list034 = Type034.Recursive(self => Type034.Object({ a: Type034.String(), next: Type034.Optional(self) }))
const list1 = Type1.Cyclic(
  { Node: Type1.Object({ a: Type1.String(), next: Type1.Optional(Type1.Ref('Node')) }) },
  'Node',
)
const cat034 = Type034.Object({ a: Type034.String() }, { $id: 'Cat' })
const cat1 = Type1.Object({ a: Type1.String() }, { $id: 'Cat' })

export const SHAPES: Readonly<Record<string, Shape>> = {
  'an intersection': {
    zod: cat.and(dog),
    mini: zm.intersection(zm.object({ a: zm.string() }), zm.object({ b: zm.number() })),
    valibot: v.intersect([v.object({ a: v.string() }), v.object({ b: v.number() })]),
    arktype: type({ a: 'string' }).and({ b: 'number' }),
    typebox: {
      '0.34': Type034.Intersect([Type034.Object({ a: Type034.String() }), Type034.Object({ b: Type034.Number() })]),
      1: Type1.Intersect([Type1.Object({ a: Type1.String() }), Type1.Object({ b: Type1.Number() })]),
    },
    values: [both],
  },
  'an intersection with a description': {
    zod: cat.describe('a cat').and(dog),
    mini: zm.intersection(zm.object({ a: zm.string() }).check(zm.describe('a cat')), zm.object({ b: zm.number() })),
    valibot: v.intersect([v.pipe(v.object({ a: v.string() }), v.description('a cat')), v.object({ b: v.number() })]),
    arktype: type({ a: 'string' }).describe('a cat').and({ b: 'number' }),
    values: [both],
  },
  'an intersection with meta': { zod: cat.meta({ title: 'Cat' }).and(dog), values: [both] },
  'an intersection with a named part': { zod: cat.meta({ id: 'ShapesCat' }).and(dog), values: [both] },
  'an intersection with readonly': { zod: cat.readonly().and(dog), values: [both] },
  'an intersection with a default': { zod: cat.default({ a: 'x' }).and(dog), values: [both] },
  'an intersection with a recursive part': { zod: Tree.and(dog), values: [both, { ...both, next: { a: 'y' } }] },
  'an intersection with a record': {
    zod: cat.and(z.record(z.string(), z.unknown())),
    valibot: v.intersect([v.object({ a: v.string() }), v.record(v.string(), v.unknown())]),
    values: [both, { a: 'x', c: null }],
  },
  'an intersection with a record of some names': {
    zod: z
      .record(z.enum(['a', 'c']), z.string())
      .describe('named')
      .and(dog),
    values: [{ a: 'x', c: 'y', b: 1 }],
  },
  'an intersection of three': {
    zod: cat
      .describe('1')
      .and(dog.describe('2'))
      .and(z.object({ c: z.boolean().optional() })),
    values: [both, { ...both, c: true }],
  },
  'an intersection of closed objects': {
    zod: z
      .strictObject({ a: z.string() })
      .describe('closed')
      .and(z.strictObject({ b: z.number() })),
    mini: zm.intersection(
      zm.strictObject({ a: zm.string() }).check(zm.describe('closed')),
      zm.strictObject({ b: zm.number() }),
    ),
    values: [both],
  },
  'an intersection with a union': {
    zod: z
      .object({ x: z.number() })
      .describe('x')
      .and(z.discriminatedUnion('k', [z.object({ k: z.literal('a') }), z.object({ k: z.literal('b') })])),
    values: [{ x: 1, k: 'a' }],
  },
  'an intersection of nullable objects': { zod: cat.nullable().and(dog.nullable()), values: [both, null] },
  'an intersection that shares a property': {
    zod: z
      .object({ o: cat })
      .describe('o')
      .and(z.object({ o: dog })),
    values: [{ o: both }],
  },
  'an intersection of lists': {
    zod: z.array(cat).and(z.array(dog)),
    values: [[both, both], []],
  },
  'an intersection of records': {
    zod: z
      .record(z.string(), z.strictObject({ a: z.string() }))
      .and(z.record(z.string(), z.strictObject({ b: z.number() }))),
    values: [{ k: both }],
  },
  'an intersection of tuples': { zod: z.tuple([cat]).and(z.tuple([dog])), values: [[both]] },
  'an intersection with a list further in': {
    zod: z.looseObject({ o: z.array(Tree) }).and(z.looseObject({ o: z.array(dog) })),
    values: [{ o: [{ ...both, next: { a: 'y' } }] }],
  },
  'an intersection with a part of any name': {
    zod: z
      .strictObject({ a: z.string() })
      .meta({ id: 'Shapes/ca~t of 1' })
      .and(z.strictObject({ b: z.number() })),
    values: [both],
  },
  'a list of intersections': { zod: z.array(cat.describe('a cat').and(dog)), values: [[both]] },
  'an empty tuple': {
    zod: z.tuple([]),
    mini: zm.tuple([]),
    valibot: v.tuple([]),
    arktype: type([]),
    typebox: { '0.34': Type034.Tuple([]), 1: Type1.Tuple([]) },
    values: [[]],
  },
  'an empty closed tuple': { valibot: v.strictTuple([]), values: [[]] },
  'an empty tuple with a rest': {
    zod: z.tuple([]).rest(z.number()),
    valibot: v.tupleWithRest([], v.number()),
    values: [[], [1, 2]],
  },
  'a tuple': {
    zod: z.tuple([z.string(), z.number()]),
    mini: zm.tuple([zm.string(), zm.number()]),
    valibot: v.strictTuple([v.string(), v.number()]),
    arktype: type(['string', 'number']),
    typebox: {
      '0.34': Type034.Tuple([Type034.String(), Type034.Number()]),
      1: Type1.Tuple([Type1.String(), Type1.Number()]),
    },
    values: [['a', 1]],
  },
  'a tuple with an optional item': {
    zod: z.tuple([z.string(), z.number().optional()]),
    mini: zm.tuple([zm.string(), zm.optional(zm.number())]),
    valibot: v.tuple([v.string(), v.optional(v.number())]),
    arktype: type(['string', 'number?']),
    values: [['a'], ['a', 1]],
  },
  'a closed tuple with an optional item': {
    valibot: v.strictTuple([v.string(), v.nullish(v.number())]),
    values: [['a'], ['a', 1], ['a', null]],
  },
  'a tuple with items that may be anything': { valibot: v.tuple([v.any(), v.unknown()]), values: [[], [1], [1, 'a']] },
  'a tuple with a default': {
    zod: z.tuple([z.string(), z.number().default(1)]),
    valibot: v.tuple([v.string(), v.optional(v.number(), 1)]),
    arktype: type(['string', ['number', '=', 1]]),
    values: [['a'], ['a', 2]],
  },
  'a tuple with a rest': {
    zod: z.tuple([z.string()], z.number()),
    valibot: v.tupleWithRest([v.string(), v.optional(v.boolean())], v.number()),
    arktype: type(['string', '...', 'number[]']),
    values: [['a'], ['a', true, 1], ['a', 1]],
  },
  'what is required after all': {
    zod: z.object({ a: z.string().optional() }).required(),
    mini: zm.required(zm.object({ a: zm.optional(zm.string()) })),
    valibot: v.required(v.object({ a: v.optional(v.string()), b: v.optional(v.object({ c: Name })) })),
    arktype: type({ 'a?': 'string' }).required(),
    values: [{ a: 'x' }, { a: 'x', b: {} }],
  },
  'v.nonOptional': {
    zod: z.nonoptional(z.string().optional()),
    mini: zm.nonoptional(zm.optional(zm.string())),
    valibot: v.object({
      a: v.nonOptional(Name),
      b: Name,
      c: v.optional(v.nonOptional(v.nonNullable(v.nullable(Name)))),
    }),
    values: ['x', { a: 'x' }, { a: 'x', b: 'y', c: 'z' }],
  },
  'v.nonNullable': { valibot: v.nonNullable(v.nullable(v.number())), values: [1] },
  'v.nonNullish': { valibot: v.nonNullish(v.nullish(v.union([v.number(), v.string()]))), values: [1, 'a'] },
  'an optional property': {
    zod: z.string().optional(),
    mini: zm.optional(zm.string()),
    valibot: Name,
    values: [undefined, 'a'],
  },
  'a default': {
    zod: z.string().default('x'),
    mini: zm._default(zm.string(), 'x'),
    valibot: v.optional(v.string(), 'x'),
    values: [undefined, 'a'],
  },
  'a choice of exactly one': {
    zod: z.xor([z.string().startsWith('a'), z.string().endsWith('b')]),
    values: ['a', 'b'],
  },
  'a union told apart': {
    zod: z.discriminatedUnion('k', [
      z.object({ k: z.literal('a'), x: z.string() }),
      z.object({ k: z.literal('b').default('b') }),
    ]),
    valibot: v.variant('k', [v.object({ k: v.literal('a'), x: v.string() }), v.object({ k: v.literal('b') })]),
    arktype: type({ k: "'a'", x: 'string' }).or({ k: "'b'" }),
    values: [{ k: 'a', x: 'y' }, { k: 'b' }],
  },
  'a union that overlaps': {
    zod: z.union([cat, z.object({ a: z.string(), b: z.number().optional() })]),
    valibot: v.variant('k', [v.object({ k: v.literal('a') }), v.object({ k: v.string() })]),
    values: [{ a: 'x' }, { k: 'a' }],
  },
  'a union of results that are alike': {
    zod: z.discriminatedUnion('k', [
      z
        .object({ k: z.literal('a') })
        .transform(() => ({ n: 1 }))
        .pipe(z.object({ n: z.number() })),
      z
        .object({ k: z.literal('b') })
        .transform(() => ({ n: 2 }))
        .pipe(z.object({ n: z.number() })),
    ]),
    values: [{ k: 'a' }],
  },
  'a recursive object': {
    zod: Tree,
    valibot: valibotTree,
    arktype: type.module({ node: { a: 'string', 'next?': 'node' } }).node,
    typebox: {
      '0.34': list034,
      1: list1,
    },
    values: [{ a: 'x', next: { a: 'y' } }],
  },
  'a recursive object twice': {
    zod: z.object({ a: Tree, b: Tree }),
    valibot: v.object({ a: valibotTree, b: valibotTree }),
    typebox: { '0.34': Type034.Object({ a: list034, b: list034 }), 1: Type1.Object({ a: list1, b: list1 }) },
    values: [{ a: { a: 'x' }, b: { a: 'y', next: { a: 'z' } } }],
  },
  'a named object twice': {
    zod: z.object({ a: cat.meta({ $id: 'Cat' }), b: cat.meta({ $id: 'Cat' }) }),
    typebox: {
      '0.34': Type034.Object({ a: cat034, b: Type034.Array(cat034) }),
      1: Type1.Object({ a: cat1, b: Type1.Array(cat1) }),
    },
    values: [
      { a: { a: 'x' }, b: [{ a: 'y' }] },
      { a: { a: 'x' }, b: { a: 'y' } },
    ],
  },
  'no choice': {
    zod: z.enum([]).optional(),
    valibot: v.optional(v.picklist([])),
    arktype: type({ 'a?': 'never' }),
    typebox: { '0.34': Type034.Optional(Type034.Enum({})), 1: Type1.Optional(Type1.Never()) },
    values: [undefined, {}],
  },
  'a record': {
    zod: z.record(z.string(), z.number()),
    mini: zm.record(zm.string(), zm.number()),
    valibot: v.record(v.string(), v.number()),
    arktype: type({ '[string]': 'number' }),
    typebox: {
      '0.34': Type034.Record(Type034.String(), Type034.Number()),
      1: Type1.Record(Type1.String(), Type1.Number()),
    },
    values: [{}, { a: 1, 'b c': 2, 'd\ne': 3, '': 4 }],
  },
  'a record of some names': {
    zod: z.record(z.enum(['a', 'b']), z.number()),
    valibot: v.record(v.picklist(['a', 'b']), v.number()),
    typebox: {
      '0.34': Type034.Record(Type034.Union([Type034.Literal('a'), Type034.Literal('b')]), Type034.Number()),
      1: Type1.Record(Type1.Union([Type1.Literal('a'), Type1.Literal('b')]), Type1.Number()),
    },
    values: [{ a: 1, b: 2 }],
  },
  'a record of some names that may be absent': {
    zod: z.record(z.enum(['a', 'b']), z.number().optional()),
    values: [{}, { a: 1 }],
  },
  'a record of some names with any values': { zod: z.record(z.literal('a'), z.any()), values: [{}, { a: 1 }] },
  'a record by a pattern': {
    zod: z.looseRecord(z.string().regex(/^x-/i), z.number()),
    arktype: type({ '[/^x/]': 'number' }),
    typebox: { '0.34': Type034.Record(Type034.String({ pattern: '^x' }), Type034.Number()) },
    values: [{ 'x-1': 1 }],
  },
  'a record with numbers as names': {
    zod: z.record(z.number(), z.string()),
    typebox: {
      '0.34': Type034.Record(Type034.Number(), Type034.String()),
      1: Type1.Record(Type1.Number(), Type1.String()),
    },
    values: [{ 1: 'a' }],
  },
  'a pattern with a flag': {
    zod: z.string().regex(/^abc$/i),
    valibot: v.pipe(v.string(), v.regex(/^abc$/i)),
    arktype: type(/^abc$/i),
    values: ['ABC'],
  },
  'a pattern of several lines': { zod: z.string().regex(/b/).regex(/^b$/m), values: ['a\nb'] },
  'a pattern that the flag u would refuse': {
    zod: z.string().regex(/^a-b$/),
    mini: zm.string().check(zm.regex(/^a-b$/)),
    valibot: v.pipe(v.string(), v.regex(/^a-b$/)),
    arktype: type(/^a-b$/),
    values: ['a-b'],
  },
  'a text that is trimmed': {
    zod: z.string().min(3).trim(),
    valibot: v.pipe(v.string(), v.minLength(3), v.trim()),
    arktype: type('string.trim'),
    values: ['  a  ', 'a\nb'],
  },
  'a text in lower case': {
    zod: z
      .string()
      .toLowerCase()
      .regex(/^[a-c]+$/),
    valibot: v.pipe(v.string(), v.toLowerCase(), v.values(['a', 'b'])),
    arktype: type('string.lower'),
    values: ['A', 'a'],
  },
  'a length in units of UTF-16': {
    valibot: v.pipe(v.string(), v.minLength(2)),
    arktype: type('string >= 2'),
    values: ['😀'],
  },
  'a number that is changed first': {
    zod: z
      .number()
      .overwrite(number => Math.max(number, 5))
      .min(5),
    valibot: v.pipe(v.number(), v.toMinValue(5), v.minValue(5)),
    values: [1, 7],
  },
  'a number that is changed afterwards': {
    zod: z
      .number()
      .max(5)
      .overwrite(number => number * 2),
    valibot: v.pipe(v.number(), v.maxValue(5), v.toMinValue(10)),
    values: [4],
  },
  'a list that is filtered': {
    valibot: v.pipe(
      v.array(v.number()),
      v.filterItems(item => item > 1),
      v.maxLength(1),
    ),
    values: [[1, 1, 2]],
  },
  'a fraction of a fraction': {
    zod: z.number().multipleOf(0.1),
    valibot: v.pipe(v.number(), v.multipleOf(0.1)),
    values: [0.1, 0.3, 0.30000000000000004],
  },
  'an integer': {
    zod: z.int(),
    mini: zm.int(),
    valibot: v.pipe(v.number(), v.integer()),
    arktype: type('number.integer'),
    typebox: { '0.34': Type034.Integer(), 1: Type1.Integer() },
    values: [1, -1],
  },
  'an address': {
    zod: z.url(),
    valibot: v.pipe(v.string(), v.url()),
    arktype: type('string.url'),
    values: ['http://exämple.com', 'http://example.com'],
  },
  'a mail address with letters of all scripts': {
    zod: z.email({ pattern: z.regexes.unicodeEmail }),
    values: ['ä@b.co'],
  },
  'an address of IPv6': {
    zod: z.ipv6(),
    valibot: v.pipe(v.string(), v.ipv6()),
    values: ['::1', '::ffff:1.2.3.4', 'fe80::1%eth0'],
  },
  'a time without a zone': {
    zod: z.iso.time(),
    valibot: v.pipe(v.string(), v.isoTime()),
    values: ['12:30', '12:30:00'],
  },
  'a date and time without a zone': {
    zod: z.iso.datetime({ local: true }),
    valibot: v.pipe(v.string(), v.isoDateTime()),
    values: ['2025-01-31T12:30', '2025-01-31T12:30:00'],
  },
  'a date': {
    zod: z.iso.date(),
    valibot: v.pipe(v.string(), v.isoDate()),
    arktype: type('string.date.iso'),
    values: ['2025-01-31'],
  },
  'a duration': { zod: z.iso.duration(), values: ['P1D', 'PT0.5S'] },
  'any JSON': { zod: z.json(), values: [null, [1, { a: 'x' }]] },
  'null or a text': {
    zod: z.string().nullable(),
    valibot: v.nullable(v.string()),
    arktype: type('string | null'),
    typebox: {
      '0.34': Type034.Union([Type034.String(), Type034.Null()]),
      1: Type1.Union([Type1.String(), Type1.Null()]),
    },
    values: [null, 'a'],
  },
}

/** Wraps a shape into an object of its library, since arguments have names. */
export const WRAPS = {
  zod: (value: z.ZodType) => z.object({ value }),
  mini: (value: zm.ZodMiniType) => zm.object({ value }),
  valibot: (value: v.GenericSchema) => toStandardJsonSchema(v.object({ value })),
  arktype: (value: unknown) => type({ value } as never),
}
