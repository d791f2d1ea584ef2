// The form's buttons, with words in place of icons.
import type { IconButtonProps, TemplatesType } from '@rjsf/utils'

type Props = Pick<IconButtonProps, 'id' | 'disabled' | 'onClick'>

const createButton =
  (text: string, label = text) =>
  ({ id, disabled, onClick }: Props) => (
    <button
      type="button"
      id={id}
      class="button button-small"
      disabled={disabled}
      aria-label={label}
      onClick={onClick as never}
    >
      {text}
    </button>
  )

export const BUTTONS = {
  AddButton: createButton('Add'),
  CopyButton: createButton('Copy'),
  MoveDownButton: createButton('↓', 'Move down'),
  MoveUpButton: createButton('↑', 'Move up'),
  RemoveButton: createButton('Remove'),
  ClearButton: createButton('Clear'),
  SubmitButton: () => null,
} as unknown as Partial<TemplatesType['ButtonTemplates']>
