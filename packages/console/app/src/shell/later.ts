// Loads the large parts that the first view does not need: after the lists, or when a view needs one.
import { loadLexer } from '../results/use-markdown.ts'

export const loadActivity = () => import('./ActivitySection.tsx')

/** A server that is gone cannot send them; then the view that needs one shows the error. */
export const loadLater = (): Promise<unknown> => Promise.allSettled([loadActivity(), loadLexer()])
