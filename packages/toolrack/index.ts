// What `toolrack` exports: a server, and what tools are written with.
export * from '../../src/index.ts'
export { default } from '../../src/index.ts'
