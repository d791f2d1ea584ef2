import { createServer } from 'toolrack'

const app = await createServer({ toolsDir: './tools', port: 8080 })
await app.listen()
