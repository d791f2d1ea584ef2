// The program `create-toolrack`, which `npm create toolrack` runs: `toolrack init` alone.
import { declareInit } from './init.ts'
import { runAsProcess } from './process.ts'
import { createRootCommand, parseAndRun } from './root-command.ts'

export function create(args: readonly string[]): Promise<void> {
  return runAsProcess(async io => {
    const program = createRootCommand('create-toolrack', io)
    declareInit(program, io, ['npm create toolrack my-tools', 'npm create toolrack -- . --name my-tools'])
    await parseAndRun(program, args)
  })
}
