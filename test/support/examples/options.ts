import { createServer, type ServerOptions } from 'toolrack'

const options: ServerOptions = {
  toolsDir: './tools',
  pageSize: 100,
  jwt: { issuer: 'https://login.example', audience: 'https://tools.example/mcp' },
  rateLimit: { max: 100, timeWindow: '1 minute' },
  limits: { toolTimeout: '30 s', maxBodyBytes: 256 * 1024 },
  metrics: { port: 9464 },
}
await createServer(options)
