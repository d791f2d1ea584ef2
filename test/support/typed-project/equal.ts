// Fails to compile unless two types are the same.
type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false

export const assertType = <_T extends true>(): void => {}
export type { Equal }
