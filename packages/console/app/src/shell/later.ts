// Loads the large parts that no first view needs: after the lists, or when a view asks for one.
import { loadLexer } from '../results/use-markdown.ts'

export const loadActivity = () => import('./ActivitySection.tsx')

/** A server that is gone cannot send them; the view that needs one says so. */
export const loadLater = (): Promise<unknown> => Promise.allSettled([loadActivity(), loadLexer()])
