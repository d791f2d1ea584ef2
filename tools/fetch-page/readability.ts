// What the extractor needs of the library; see ../_web/undici.ts.
export { isProbablyReaderable, Readability } from '@mozilla/readability'
