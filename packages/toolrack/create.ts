// `npm create toolrack`, for the package of that name.
export { create } from '../cli/src/create.ts'
