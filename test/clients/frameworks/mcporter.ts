// mcporter: a command line. Each run of it connects anew.
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { bearer, type Connect } from './agent.ts'

const PROGRAM = fileURLToPath(import.meta.resolve('mcporter/cli'))

interface Run {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

const runMcporter = (...args: string[]): Promise<Run> =>
  new Promise(resolve => {
    execFile(process.execPath, [PROGRAM, ...args], (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr })
    })
  })

export const mcporter: Connect = async (url, token) => {
  const headers = Object.entries(bearer(token)).flatMap(([name, value]) => ['--header', `${name}=${value}`])
  const server = ['--http-url', url, '--allow-http', '--name', 'shop', '--no-oauth', ...headers]
  const run = async (...args: string[]) => {
    const { code, stdout, stderr } = await runMcporter(...args, ...server)
    if (code !== 0 && stdout === '') throw new Error(stderr)
    return stdout
  }
  return {
    async listTools() {
      const { tools } = JSON.parse(await run('list', '--json')) as { tools: { name: string }[] }
      return tools.map(tool => tool.name)
    },
    callTool: (name, args) => run('call', '--tool', name, '--args', JSON.stringify(args), '--output', 'json'),
    close: async () => {},
  }
}
