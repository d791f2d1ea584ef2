// The type of `ctx.state`. A file of its own, which the package exports whole: so a project can
// declare members of it.

/**
 * What hooks leave for the handlers of their calls. A project declares its members:
 * `declare module 'toolrack' { interface CallState { user?: User } }`. Others are `unknown`.
 */
export interface CallState {
  [name: string]: unknown
}
