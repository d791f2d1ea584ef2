// The environment of an isolated tool's process: variables that all programs need, and those that
// the tool declares. It contains none of the server's secrets.

/** In upper case: proxies are in lower case too, and Windows ignores case. */
const COMMON: ReadonlySet<string> = new Set(
  `PATH HOME USER LOGNAME SHELL TMPDIR TMP TEMP XDG_CACHE_HOME
  LANG LANGUAGE TZ TZDIR TERM NO_COLOR FORCE_COLOR
  HTTP_PROXY HTTPS_PROXY ALL_PROXY NO_PROXY
  SSL_CERT_FILE SSL_CERT_DIR OPENSSL_CONF OPENSSL_MODULES
  NODE_ENV NODE_OPTIONS NODE_PATH NODE_DEBUG NODE_ICU_DATA NODE_NO_WARNINGS NODE_COMPILE_CACHE NODE_V8_COVERAGE
  NODE_EXTRA_CA_CERTS NODE_USE_ENV_PROXY NODE_USE_SYSTEM_CA NODE_TLS_REJECT_UNAUTHORIZED
  LD_LIBRARY_PATH DYLD_LIBRARY_PATH
  SYSTEMROOT SYSTEMDRIVE WINDIR COMSPEC PATHEXT OS USERNAME USERPROFILE HOMEDRIVE HOMEPATH
  APPDATA LOCALAPPDATA PROGRAMDATA PROGRAMFILES PROGRAMFILES(X86) PROCESSOR_ARCHITECTURE NUMBER_OF_PROCESSORS`.split(
    /\s+/,
  ),
)

const isGiven = (name: string, declared: readonly string[]) =>
  COMMON.has(name.toUpperCase()) || name.startsWith('LC_') || declared.includes(name)

/** Flags for the server alone. The sizes of heaps would override those of a child. */
const OWN_FLAGS = /(?<=^|\s)--(?:inspect|max[-_])\S*/g

/** Variables that code reads by name. */
const READ = /\bprocess\.env(?:\.|\[['"`])([A-Za-z_]\w*)/g
/** `const { NAME, OTHER: name = '' } = process.env` */
const TAKEN_APART = /\{([^{}]*)\}\s*=\s*process\.env\b(?!\.|\[)/g

function listRead(code: string): string[] {
  const taken = [...code.matchAll(TAKEN_APART)].flatMap(([, names]) => names!.split(','))
  const names = taken.flatMap(each => /^\s*([A-Za-z_]\w*)/.exec(each)?.[1] ?? [])
  return [...code.matchAll(READ)].map(([, name]) => name!).concat(names)
}

/** The variables that the code reads, but that the process of its tool does not get. */
export const findUndeclared = (code: string, declared: readonly string[]): readonly string[] => [
  ...new Set(listRead(code).filter(name => !isGiven(name, declared))),
]

/** @param declared the variables that the tool requires, or declares to read */
export function createIsolatedEnvironment(
  declared: readonly string[],
  environment: NodeJS.ProcessEnv = process.env,
): NodeJS.ProcessEnv {
  // Runs for each call of an isolated tool. Reading a value is slow, so only the needed ones are read.
  const names = Object.keys(environment).filter(name => isGiven(name, declared))
  const { NODE_OPTIONS: flags, ...rest } = Object.fromEntries(names.map(name => [name, environment[name]]))
  return flags === undefined ? rest : { ...rest, NODE_OPTIONS: flags.replaceAll(OWN_FLAGS, '') }
}
