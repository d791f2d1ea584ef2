// Keys in the form of a keyboard: on a Mac, Ctrl is ⌘.
export const IS_MAC = /Mac|iPhone|iPad/.test(navigator.platform)

export const KeyHint = ({ keys }: { keys: readonly string[] }) => (
  <>
    {keys.map(key => (
      <kbd key={key}>{key === 'Ctrl' && IS_MAC ? '⌘' : key}</kbd>
    ))}
  </>
)
