// `toolrack completion SHELL`: prints a script for the shell, which asks `toolrack complete` at each Tab.
import { Argument } from 'commander'
import { SHELLS } from './completion/scripts.ts'
import { formatExamples, type Register } from './root-command.ts'

export const registerCompletion: Register = (program, io) => {
  program
    .command('completion')
    .summary('completes commands in the shell by Tab')
    .description('Prints a script that completes commands, options, names of servers and of tools by Tab.')
    .addArgument(new Argument('<shell>').choices(SHELLS))
    .addHelpText(
      'after',
      formatExamples(
        "echo 'source <(toolrack completion bash)' >> ~/.bashrc",
        "echo 'source <(toolrack completion zsh)' >> ~/.zshrc   # behind compinit",
        'toolrack completion fish > ~/.config/fish/completions/toolrack.fish',
      ),
    )
    .action(async (shell: string) => {
      const { SCRIPTS } = await import('./completion/scripts.ts')
      io.print(SCRIPTS[shell as keyof typeof SCRIPTS])
    })
  program
    .command('complete', { hidden: true })
    .argument('<shell>')
    .argument('[words...]')
    .allowUnknownOption()
    .passThroughOptions()
    .helpOption(false)
    .action(async (shell: string, words: readonly string[]) => {
      const { printSuggestions } = await import('./completion/suggest.ts')
      // The scripts put `--` before the words, so that no word is an option of this command.
      const behind = words[0] === '--' ? words.slice(1) : words
      await printSuggestions(program, { shell, words: behind }, io)
    })
}
