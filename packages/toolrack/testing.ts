// What `toolrack/testing` exports: tests of tools through a whole server.
export * from '../testing/src/index.ts'
