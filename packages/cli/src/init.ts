// `toolrack init`, and `npm create toolrack`: creates a project with a first tool, its test, and
// everything needed to serve it.
import type { Command } from 'commander'
import { toShell } from 'toolrack/clients'
import type { Io } from './io.ts'
import { formatExamples, type Register } from './root-command.ts'

interface Options {
  readonly name?: string
  readonly force?: true
  readonly json?: true
}

export const registerInit: Register = (program, io) => {
  const init = program.command('init').summary('makes a project with a first tool and its test')
  declareInit(init, io, ['toolrack init my-tools', 'toolrack init . --name my-tools'])
}

export function declareInit(command: Command, io: Io, examples: readonly string[]): void {
  command
    .description('Writes a project with a first tool, its test, and what it takes to serve it. Overwrites nothing.')
    .argument('[folder]', 'where to write it', '.')
    .option('--name <name>', 'name of the package (default: that of the folder)')
    .option('--force', 'overwrites files that are there')
    .option('--json', 'prints the files as JSON')
    .addHelpText('after', formatExamples(...examples))
    .action(async (folder: string, { name, force, json }: Options) => {
      const { createProject } = await import('./project.ts')
      const { runInterruptible } = await import('./interrupt.ts')
      const project = await runInterruptible(signal =>
        createProject(folder, { name, isForced: force === true, signal }),
      )
      if (json) return io.printJson(project)
      for (const file of project.files) io.print(`${io.paint('green', '+')} ${file}`)
      const enter = folder === '.' ? [] : [`cd ${toShell(folder)}`]
      const next = [...enter, 'npm install', 'npm run dev', 'npm test'].slice(0, 3)
      io.print(`\nNext:\n${next.map(line => `  ${line}`).join('\n')}`)
    })
}
