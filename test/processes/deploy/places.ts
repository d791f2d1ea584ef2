// Where the steps of an image run without a container engine: in a plain folder, or in a chroot
// whose root is read-only, as a user without capabilities. Programs of the base image are those of
// this machine.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { chownSync, mkdirSync, readlinkSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

export interface Command {
  readonly words: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly cwd: string
  /** As `node`; otherwise as root. */
  readonly isUser: boolean
  readonly isReadOnly: boolean
}

/** A folder of this machine that stands for `/` of the image. */
export interface Place {
  readonly root: string
  spawn(command: Command): ChildProcess
}

const PATH = '/usr/local/bin:/usr/bin:/bin'

/** Paths of the image, at the begin of a path. */
const IMAGE_PATHS = /(?<![\w./-])\/(?=(?:app|home\/node|opt|run|node_modules|usr\/local)(?:[/\s:,"']|$))/g

/** Paths of the image become paths below `root`. There are no users here, and nothing is read-only. */
export function plainFolder(root: string): Place {
  const rewrite = (text: string) => text.replace(IMAGE_PATHS, `${root}/`)
  prepare(root)
  writeFileSync(join(root, 'usr/local/bin/chown'), '#!/bin/sh\n', { mode: 0o755 })
  return {
    root,
    spawn: ({ words, env, cwd }) => {
      const [program, ...args] = words.map(rewrite)
      const all = { PATH: `/usr/local/bin:${process.env['PATH']}`, HOME: '/home/node', ...env }
      return spawn(program!, args, {
        env: Object.fromEntries(Object.entries(all).map(([name, value]) => [name, rewrite(value)])),
        cwd: join(root, cwd),
      })
    },
  }
}

/** Why there is no chroot, for `skip`. */
export const NO_CHROOT =
  spawnSync('unshare', ['--mount', 'setpriv', '--version']).status === 0
    ? false
    : 'SKIPPED: no right to make mounts, which root of Linux has, so that the image ran in a plain folder only'

/** /usr is of the machine and read-only, /usr/local is of the image. */
const MOUNTS = `
mount --bind "$0" "$0"
mount --bind "$0/usr/local" "$0/local"
mount --rbind /usr "$0/usr"
mount -o remount,bind,ro "$0/usr"
mount --bind "$0/local" "$0/usr/local"
mount --rbind /proc "$0/proc"
mount --rbind /dev "$0/dev"
`
const READ_ONLY = `
mount -o remount,bind,ro "$0"
mount -o remount,bind,ro "$0/local"
mount -o remount,bind,ro "$0/usr/local"
`
/** What `user: node`, `cap_drop: [ALL]` and `no-new-privileges` mean. */
const AS_USER = 'setpriv --reuid=1000 --regid=1000 --clear-groups --bounding-set=-all --inh-caps=-all --no-new-privs'

export function chroot(root: string): Place {
  prepare(root)
  for (const folder of ['local', 'proc', 'dev', 'etc', 'tmp']) mkdirSync(join(root, folder))
  for (const name of ['bin', 'lib', 'lib64', 'sbin']) symlinkSync(readLink(name), join(root, name))
  chownSync(join(root, 'home/node'), 1000, 1000)
  writeFileSync(join(root, 'etc/passwd'), 'root:x:0:0::/root:/bin/sh\nnode:x:1000:1000::/home/node:/bin/sh\n')
  writeFileSync(join(root, 'etc/group'), 'root:x:0:\nnode:x:1000:\n')
  writeFileSync(join(root, 'etc/hosts'), '127.0.0.1 localhost\n')
  return {
    root,
    spawn: ({ words, env, cwd, isUser, isReadOnly }) => {
      const script = `${MOUNTS}${isReadOnly ? READ_ONLY : ''}exec chroot "$0" "$@"`
      const all = { PATH, HOME: isUser ? '/home/node' : '/root', ...env }
      return spawn('unshare', [
        ...['--mount', '--propagation', 'private', 'sh', '-ec', script, root],
        ...(isUser ? AS_USER.split(' ') : []),
        ...['env', '-i', '-C', cwd, ...Object.entries(all).map(([name, value]) => `${name}=${value}`)],
        ...words,
      ])
    },
  }
}

/** `bin` → `usr/bin`, as on this machine. */
function readLink(name: string): string {
  try {
    return readlinkSync(`/${name}`)
  } catch {
    return join('usr', name)
  }
}

/** What the base image has: Node, npm and the home of a user. */
function prepare(root: string): void {
  for (const folder of ['usr/local/bin', 'usr/local/lib/node_modules', 'home/node', 'run'])
    mkdirSync(join(root, folder), { recursive: true })
  // No symbolic links to what a chroot does not have.
  copyOrLink(realpathSync(process.execPath), join(root, 'usr/local/bin/node'))
  copyOrLink(findNpm(), join(root, 'usr/local/lib/node_modules/npm'))
  symlinkSync('../lib/node_modules/npm/bin/npm-cli.js', join(root, 'usr/local/bin/npm'))
}

/** Hard links instead of copies, if it is the same disk: thousands of files. @param args of cp(1) */
export function copyOrLink(...args: string[]): void {
  if (spawnSync('cp', ['-al', ...args]).status === 0) return
  const { status, stderr } = spawnSync('cp', ['-a', ...args], { encoding: 'utf8' })
  if (status !== 0) throw new Error(stderr)
}

function findNpm(): string {
  const { stdout } = spawnSync('which', ['npm'], { encoding: 'utf8' })
  // npm/bin/npm-cli.js
  return dirname(dirname(realpathSync(stdout.trim())))
}
