// Time for what goes on in this process: counted in turns of its loop, of which a busy machine leaves out none.

/** Enough for what has been handed over to arrive, in this process, and over its own sockets. */
export async function turns(count = 100): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise(setImmediate)
}
