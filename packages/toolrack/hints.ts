// Hints about definitions, which others say, too. Loaded once something is refused.
export {
  explainNoHandler,
  explainServer,
  findHandlerName,
  isClass,
  toToolName,
} from '../../src/registry/hints/handlers.ts'
