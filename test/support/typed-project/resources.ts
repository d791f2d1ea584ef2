// Resources, whose variables are known by their template.
import { defineResource } from 'toolrack'
import { assertType, type Equal } from './equal.js'

export default [
  defineResource({
    uriTemplate: 'users://{id}',
    name: 'User',
    handler(_uri, variables) {
      assertType<Equal<typeof variables, { id: string }>>()
      return variables.id
    },
  }),
  defineResource({
    uriTemplate: 'files://{volume}/{+path}',
    name: 'File',
    complete: { volume: value => [`${value}1`] },
    handler(_uri, variables) {
      assertType<Equal<typeof variables, { volume: string; path: string }>>()
      return undefined
    },
  }),
  defineResource({
    uri: 'docs://style',
    name: 'Style guide',
    handler(_uri, variables) {
      // @ts-expect-error: a fixed URI has no variables
      void variables.id
      return new Uint8Array()
    },
  }),
  defineResource({
    uriTemplate: 'users://{id}/profile',
    name: 'Profile',
    // @ts-expect-error: not a variable
    complete: { name: () => [] },
    // @ts-expect-error: not a variable
    handler: (_uri, { name }) => String(name),
  }),
]
