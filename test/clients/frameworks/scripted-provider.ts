// Loaded before a snippet of the AI SDK: models that are named by a string are the scripted one. At the end it tells on
// stderr what the model was sent last.
import { lastMessage, scriptedModel } from './scripted-model.ts'

const model = scriptedModel('get_price', { sku: 'ABC-1234' })
Object.assign(globalThis, { AI_SDK_DEFAULT_PROVIDER: { languageModel: () => model } })
process.on('exit', () => process.stderr.write(lastMessage(model)))
