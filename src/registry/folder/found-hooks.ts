// Which file of a tools folder has the rules for all tools, and why it cannot be loaded.
import { basename } from 'node:path'
import type { MisplacedRules } from './misplaced-rules.ts'
import type { FolderContents } from './scan.ts'

export interface FoundHooks {
  readonly file: string
  /** Why it cannot be loaded. */
  readonly fault?: string
  /** It holds for nothing where it is: that it goes away is the fix. */
  readonly isMisplaced?: true
}

/**
 * @param files that are named as they should be
 * @param misplaced rules that may be meant for all tools, and hold for none
 * @returns undefined if the folder has no hooks
 */
export function findHooksFile(
  { skipped }: Pick<FolderContents, 'skipped'>,
  files: readonly string[],
  misplaced: MisplacedRules | undefined,
): FoundHooks | undefined {
  if (misplaced !== undefined) return { file: misplaced.file, fault: misplaced.reason, isMisplaced: true }
  const [file, ...others] = files
  if (file === undefined) return undefined
  const also = others.map(each => basename(each)).join(', ')
  const fault = also === '' ? skipped.get(file)?.reason : `there is also ${also}; keep one of them`
  return fault === undefined ? { file } : { file, fault }
}
