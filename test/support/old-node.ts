// A Node of this machine that is too old to run the server, for tests of what it says then.
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { explainUnsupportedNode } from '../../src/config/node-version.ts'

const isOld = (path: string) => {
  const env = { PATH: process.env['PATH'] }
  return (
    explainUnsupportedNode(execFileSync(path, ['-p', 'process.versions.node'], { env, encoding: 'utf8' }).trim()) !==
    undefined
  )
}

const found = ['/usr/bin/node', '/usr/local/bin/node'].filter(existsSync).find(isOld)

export const OLD_NODE = { path: found ?? '', skip: found === undefined && 'there is no old Node here' }
