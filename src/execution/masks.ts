// Hides the secrets of a server's settings, also of those that change while it runs.
import { collectSecrets, type Settings } from '../config/settings.ts'
import { LiveSecrets } from './live-secrets.ts'
import { createMask, createSecretMask, type Mask } from './mask.ts'

export interface Masks {
  readonly secrets: readonly string[]
  readonly liveSecrets: LiveSecrets
  /** For texts to clients: hides paths, too. */
  readonly mask: Mask
  /** For texts that are logged or kept. */
  readonly secretMask: Mask
}

export function createMasks(settings: Settings): Masks {
  const secrets = collectSecrets(settings)
  const liveSecrets = new LiveSecrets()
  return {
    secrets,
    liveSecrets,
    mask: createMask(secrets, liveSecrets),
    secretMask: createSecretMask(secrets, liveSecrets),
  }
}
