// A caller of this tool can do all that the allowed programs can. Some programs obey files of their
// working folder, as git obeys its configuration; do not allow those if others may write to it.
import { defineTool, Type, text } from 'toolrack'
import { MAX_BYTES } from './_command/capture.ts'
import { programsOf } from './_command/programs.ts'
import { type Ended, run } from './_command/run.ts'

const PROGRAMS = programsOf(process.env['EXEC_ALLOW'] ?? '')
const NAMES = [...PROGRAMS.keys()]

export default defineTool({
  name: 'execute_command',
  title: 'Run a command',
  description:
    'Runs one of the allowed commands and returns what it writes. There is no shell: each argument reaches the program ' +
    'as it is, so quotes, pipes, wildcards and variables mean nothing. It runs in the files folder where there is one, ' +
    'without input, and is ended after a minute; nothing of it goes on in the background. ' +
    `The first ${MAX_BYTES} bytes of each stream are kept. Example: ` +
    '{ "command": "ls", "args": ["-l", "reports"] } gives { "exitCode": 0, "stdout": "…", "stderr": "", … }.',
  inputSchema: Type.Object(
    {
      command: Type.Unsafe<string>({
        type: 'string',
        maxLength: 1000,
        ...(NAMES.length > 0 && { enum: NAMES }),
        description: 'What is allowed; where it names arguments, those come first',
      }),
      args: Type.Optional(
        Type.Array(Type.String({ maxLength: 4096, pattern: '^[^\\u0000]*$' }), {
          maxItems: 100,
          description: 'Arguments, one each; default none',
        }),
      ),
    },
    { additionalProperties: false },
  ),
  text: 'both',
  outputSchema: Type.Object({
    command: Type.String(),
    args: Type.Array(Type.String()),
    exitCode: Type.Union([Type.Integer(), Type.Null()], { description: 'null where a signal ended it' }),
    signal: Type.Optional(Type.String({ description: 'Such as SIGSEGV' })),
    stdout: Type.String(),
    stderr: Type.String(),
    isCut: Type.Boolean({ description: 'Whether it wrote more than is kept' }),
    droppedBytes: Type.Integer({ description: 'Written after what is kept' }),
    durationMs: Type.Integer(),
  }),
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
  requires: ['EXEC_ALLOW'],
  scopes: ['commands:run'],
  task: 'optional',
  timeout: 60_000,
  concurrency: 4,
  async handler({ command, args = [] }, { progress, signal }) {
    // The schema allows no other name.
    const { path, fixedArgs } = PROGRAMS.get(command)!
    const ended = await run(path, [...fixedArgs, ...args], { progress, signal })
    const { exitCode, signal: endedBy, stdout, stderr, droppedBytes, durationMs } = ended
    return {
      content: [text(told(ended))],
      structuredContent: {
        command,
        args,
        exitCode,
        ...(endedBy !== null && { signal: endedBy }),
        stdout,
        stderr,
        isCut: droppedBytes > 0,
        droppedBytes,
        durationMs,
      },
      isError: exitCode !== 0,
    }
  },
})

function told({ exitCode, signal, stdout, stderr, droppedBytes }: Ended): string {
  const end = signal === null ? `Exit code ${exitCode}.` : `Ended by ${signal}.`
  const dropped = droppedBytes > 0 ? [`${droppedBytes} more bytes were dropped. Ask for less.`] : []
  const errors = stderr === '' ? [] : ['stderr:', stderr.trimEnd()]
  return [end, ...dropped, ...errors, ...(stdout === '' ? [] : ['stdout:', stdout.trimEnd()])].join('\n')
}
