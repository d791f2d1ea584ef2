// The optional peer dependencies that the operator installs for Redis.
import { ConfigError } from './settings.ts'

const PACKAGES = ['ioredis', 'bullmq']

/** @throws ConfigError naming the missing packages and the command to install them */
export function assertRedisPackages(redisUrl: string | undefined, name = 'redis.url'): void {
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
