// Marks the words of a search in a text.
import { splitCode } from '../../../src/clients/highlight.ts'
import { Visible } from '../parts/Visible.tsx'

/** @returns undefined if there is nothing to mark */
export const toPattern = (words: readonly string[]): RegExp | undefined =>
  words.length === 0 ? undefined : new RegExp(`(${words.map(quote).join('|')})`, 'giu')

const quote = (word: string): string => word.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')

/** The same of a sentence, with words in backticks as code. */
export const SentenceHits = ({ text, pattern }: { text: string; pattern: RegExp | undefined }) => (
  <>
    {splitCode(text).map((part, index) =>
      index % 2 === 1 ? (
        <code key={index}>
          <Hits text={part} pattern={pattern} />
        </code>
      ) : (
        <Hits key={index} text={part} pattern={pattern} />
      ),
    )}
  </>
)

export function Hits({ text, pattern }: { text: string; pattern: RegExp | undefined }) {
  if (pattern === undefined) return <Visible text={text} />
  return (
    <>
      {text
        .split(pattern)
        // Every second part is a match of the pattern.
        .map((part, index) =>
          part === '' ? null : index % 2 === 1 ? (
            <mark key={index}>
              <Visible text={part} />
            </mark>
          ) : (
            <Visible key={index} text={part} />
          ),
        )}
    </>
  )
}
