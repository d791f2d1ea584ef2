// How logs name a file: by its path from where the server was started, on one line, whatever is in the name.
import { relative } from 'node:path'
import { cleanText } from './clean.ts'

const MAX_NAME = 300

export function fileName(path: string): string {
  const name = cleanText(relative(process.cwd(), path)).replace(/[\s\u2028\u2029]+/g, ' ')
  // The end says most.
  return name.length > MAX_NAME ? `…${name.slice(1 - MAX_NAME).toWellFormed()}` : name
}
