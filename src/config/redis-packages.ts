// The packages that only a server with Redis needs: optional peer dependencies, which its user
// installs.
import { ConfigError } from './settings.ts'

const PACKAGES = ['ioredis', 'bullmq']

/** @throws ConfigError if a package for Redis is missing; it says what to install */
export function assertRedisPackages(redisUrl: string | undefined, name = 'redisUrl'): void {
  if (redisUrl === undefined) return
  const missing = PACKAGES.filter(each => !isInstalled(each))
  if (missing.length === 0) return
  const verb = missing.length === 1 ? 'is' : 'are'
  throw new ConfigError(
    `${name} is set, but ${missing.join(' and ')} ${verb} not installed: npm install ${missing.join(' ')}`,
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
