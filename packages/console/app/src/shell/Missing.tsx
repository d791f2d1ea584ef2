// Shown if the address names something that the server lacks, or does not show to this user.
import { type Section, toHash } from './router.ts'

interface Props {
  /** One of it: "tool". */
  readonly one: string
  readonly section: Section
  /** `undefined` while the list is loaded, or is empty. */
  readonly name: string | undefined
}

export const Missing = ({ one, section, name }: Props) => (
  <section class="pane pane-form pane-span" aria-label="Arguments">
    {name !== undefined && (
      <div class="empty grow">
        <strong>
          No {one} named {name}
        </strong>
        <p>This server has no such {one}, or you may not see it.</p>
        <div class="row">
          <a class="button button-s" href={toHash({ section })}>
            All {one}s
          </a>
        </div>
      </div>
    )}
  </section>
)
