// Adds, lists and removes names of servers.
import { findNearestName } from 'toolrack/text'
import { changeServers, type NamedServer, readServers, SERVER_NAME } from './client/servers.ts'
import { isUrl, parseUrl } from './client/target.ts'
import { CommandError, UsageError } from './errors.ts'
import type { Io } from './io.ts'
import { hasSignIn } from './sign-in/kept.ts'
import { formatTable } from './table.ts'

interface AddOptions {
  readonly tokenEnv?: string
  readonly force?: boolean
}

const VARIABLE = /^[A-Za-z_]\w*$/

export async function runAdd(name: string, text: string, { tokenEnv, force }: AddOptions, io: Io): Promise<void> {
  if (!SERVER_NAME.test(name) || isUrl(name))
    throw new UsageError(
      `expected a name such as prod: a letter, then letters, digits, - and _, not ${JSON.stringify(name)}`,
    )
  // The message does not repeat the value, which is probably a token.
  if (tokenEnv !== undefined && !VARIABLE.test(tokenEnv))
    throw new UsageError('--token-env: expected the name of a variable, such as PROD_TOKEN, not a token')
  const url = parseUrl(text).href
  const server: NamedServer = { url, ...(tokenEnv !== undefined && { tokenEnv }) }
  await changeServers(servers => {
    const before = Object.hasOwn(servers, name) ? servers[name] : undefined
    if (before !== undefined && before.url !== url && !force)
      throw new CommandError(`${name} is ${toShown(before)} already; --force changes it`)
    return { ...servers, [name]: server }
  })
  io.print(`${name} is ${toShown(server)}.`)
}

export function runList({ json }: { readonly json?: boolean }, io: Io): void {
  const servers = Object.entries(readServers()).toSorted(([one], [other]) => one.localeCompare(other))
  if (json)
    io.printJson(
      servers.map(([name, server]) => ({
        name,
        url: toShown(server),
        tokenEnv: server.tokenEnv,
        isSignedIn: hasSignIn(new URL(server.url)),
      })),
    )
  else if (servers.length === 0) io.note('No server has a name; toolrack server add prod https://… gives one')
  else io.print(formatTable(servers.map(([name, server]) => [name, toShown(server), describeToken(server)])))
}

function describeToken({ url, tokenEnv }: NamedServer): string {
  if (tokenEnv !== undefined) return `token in ${tokenEnv}`
  return hasSignIn(new URL(url)) ? 'signed in' : ''
}

/** Hides the query, which may contain a key. */
function toShown({ url }: NamedServer): string {
  const { origin, pathname, search } = new URL(url)
  return `${origin}${pathname}${search === '' ? '' : '?…'}`
}

export async function runRemove(names: readonly string[], io: Io): Promise<void> {
  await changeServers(servers => {
    const missing = names.find(name => !Object.hasOwn(servers, name))
    if (missing !== undefined)
      throw new CommandError(`no server is named ${JSON.stringify(missing)}${suggest(missing, servers)}`)
    return Object.fromEntries(Object.entries(servers).filter(([name]) => !names.includes(name)))
  })
  io.print(`Forgotten: ${names.join(', ')}.`)
}

function suggest(name: string, servers: object): string {
  const meant = findNearestName(name, Object.keys(servers), name.length / 2)
  return meant === undefined ? '; toolrack server list shows all' : `; did you mean ${meant}?`
}
