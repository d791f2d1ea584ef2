// The end of a command's help.

/** Examples, one a line; for `addHelpText('after', …)`. */
export const formatExamples = (...lines: readonly string[]): string =>
  `\nExamples:\n${lines.map(line => `  ${line}`).join('\n')}`
