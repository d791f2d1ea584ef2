import { createServer } from 'toolrack'

const app = await createServer({ toolsDir: './tools' })
const stop = app.toolrack.on('ended', ({ target, caller, outcome, durationMs }) => {
  if (target?.kind === 'tool') console.log(target.name, caller?.subject, outcome, durationMs)
})
app.addHook('onClose', async () => stop())
