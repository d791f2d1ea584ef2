// Packages that the operator installs for what a setting turns on.
import { ConfigError } from './settings.ts'

/**
 * @param setting what needs them, as the user calls it
 * @throws ConfigError naming the missing packages and the command to install them
 */
export function assertInstalled(packages: readonly string[], setting: string): void {
  const missing = packages.filter(each => !isInstalled(each))
  if (missing.length === 0) return
  const verb = missing.length === 1 ? 'is' : 'are'
  throw new ConfigError(
    `${setting} is set, but ${missing.join(' and ')} ${verb} not installed: npm install ${missing.join(' ')}`,
  )
}

function isInstalled(name: string): boolean {
  try {
    import.meta.resolve(name)
    return true
  } catch {
    return false
  }
}
