// What weighs much and no first view needs: it comes once the lists are there, or when a view asks for it.
import { loadLexer } from '../results/use-markdown.ts'

export const loadActivity = () => import('./ActivitySection.tsx')

/** A server that is gone cannot send them; the view that needs one says so. */
export const loadLater = (): Promise<unknown> => Promise.allSettled([loadActivity(), loadLexer()])
