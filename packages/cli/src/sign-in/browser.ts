// Opens a page in the user's browser, by the program that each system has for this. It uses no
// shell, which could interpret the URL.
import { spawn } from 'node:child_process'

const OPENERS: Readonly<Partial<Record<NodeJS.Platform, readonly [program: string, ...args: string[]]>>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
}
const OPENER = ['xdg-open'] as const

/** Over SSH, the browser would open on the other machine; without a display, there is no browser. */
export function hasBrowser(environment: NodeJS.ProcessEnv = process.env, platform = process.platform): boolean {
  if (environment['SSH_CONNECTION'] || environment['SSH_TTY']) return false
  return platform in OPENERS || Boolean(environment['DISPLAY'] || environment['WAYLAND_DISPLAY'])
}

/** Never throws: the URL was printed, so the user can open it. */
export function openBrowser({ href }: URL): void {
  const [program, ...args] = OPENERS[process.platform] ?? OPENER
  spawn(program, [...args, href], { stdio: 'ignore', detached: true })
    .on('error', () => {})
    .unref()
}
