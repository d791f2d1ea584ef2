// The settings of the tool: where it files issues, and with which token. Read once, at load.

export interface GitHub {
  readonly apiUrl: string
  readonly token: string
  /** `owner/name`; the first one is the default. */
  readonly repositories: readonly string[]
}

type Environment = Readonly<Record<string, string | undefined>>

const REPOSITORY = /^[A-Za-z0-9][\w-]{0,99}\/(?!\.{1,2}$)[\w.-]{1,100}$/

/** @throws Error that names the variable and what was expected; an unset variable is no error */
export function githubOf(environment: Environment): GitHub {
  return {
    apiUrl: apiUrlOf(environment['GITHUB_API_URL'] || 'https://api.github.com'),
    token: tokenOf(environment['GITHUB_TOKEN'] ?? ''),
    repositories: unique([
      ...repositoriesOf('GITHUB_REPOSITORY', environment),
      ...repositoriesOf('GITHUB_REPOSITORIES', environment),
    ]),
  }
}

function apiUrlOf(text: string): string {
  const url = URL.parse(text)
  const isPlain = url !== null && /^https?:$/.test(url.protocol) && url.username === '' && !/[?#]/.test(text)
  if (!isPlain) throw new Error('GITHUB_API_URL: expected a plain http(s) URL, such as https://api.github.com')
  return text.replace(/\/+$/, '')
}

// A line break at the end would make an invalid header, whose error message quotes the token.
function tokenOf(token: string): string {
  if (/^[\x21-\x7e]*$/.test(token)) return token
  throw new Error('GITHUB_TOKEN: expected a token without spaces and line breaks')
}

function repositoriesOf(name: string, environment: Environment): string[] {
  const all = (environment[name] ?? '').split(',').flatMap(each => each.trim() || [])
  const wrong = all.find(each => !REPOSITORY.test(each))
  if (wrong !== undefined) throw new Error(`${name}: expected owner/name, not ${JSON.stringify(wrong)}`)
  if (name === 'GITHUB_REPOSITORY' && all.length > 1) throw new Error(`${name}: expected one repository`)
  return all
}

// GitHub ignores case in names.
function unique(names: readonly string[]): string[] {
  const seen = new Map(names.toReversed().map(name => [name.toLowerCase(), name]))
  return [...new Set(names.map(name => seen.get(name.toLowerCase())!))]
}
