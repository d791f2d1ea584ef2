// The settings as they are now: the secrets of files change while the server runs.
import { FileWatch } from '../auth/file-watch.ts'
import type { Log } from '../request/exchange.ts'
import { toKey } from './setting-row.ts'
import type { SecretFile, SettingName, Settings } from './settings.ts'

export interface LiveSettingsOptions {
  /** As they were at the start. */
  readonly settings: Settings
  readonly files: readonly SecretFile[]
  /** Called with each new secret before anything uses it. */
  onSecret(secret: string): void
  /** Called with what the user calls the setting of the file. */
  onRenewed(setting: string): void
  readonly log: Log
  readonly checkMs?: number
}

/** Puts a new secret to use. @throws Error that names the expected form: then the one before stays */
export type Follower = (secret: string) => void

export class LiveSettings {
  readonly #options: LiveSettingsOptions
  readonly #watches: readonly FileWatch[]
  readonly #followers = new Map<SettingName, Follower>()
  /** By the setting that names the file. */
  readonly #problems = new Map<string, string>()
  #current: Settings

  constructor(options: LiveSettingsOptions) {
    const { settings, files, checkMs } = options
    this.#options = options
    this.#current = settings
    this.#watches = files.map(({ path }) => new FileWatch({ file: path, onChange: () => this.reload(), checkMs }))
  }

  get current(): Settings {
    return this.#current
  }

  /** Why secrets could not be renewed: for `GET /ready`. */
  get problems(): readonly string[] {
    return [...this.#problems.values()].map(reason => `${reason}; the secret before stays`)
  }

  follow(name: SettingName, follower: Follower): this {
    this.#followers.set(name, follower)
    return this
  }

  start(): void {
    for (const watch of this.#watches) watch.start()
    // A file may have changed since the settings were read.
    this.reload()
  }

  close(): void {
    for (const watch of this.#watches) watch.close()
  }

  /** Reads all files, since secrets that belong together change together. */
  reload(): void {
    const before = this.#current
    const renewed = this.#options.files.filter(file => this.#renew(file))
    for (const file of renewed) this.#use(file, before)
  }

  /** @returns whether there is a new secret */
  #renew(file: SecretFile): boolean {
    const option = toKey(file.name)
    try {
      const secret = file.read()
      if (secret === this.#current[option as keyof Settings]) {
        this.#setProblem(file)
        return false
      }
      this.#options.onSecret(secret)
      this.#current = Object.freeze({ ...this.#current, [option]: secret })
      return true
    } catch (error) {
      this.#setProblem(file, error)
      return false
    }
  }

  #use(file: SecretFile, before: Settings): void {
    const option = toKey(file.name) as keyof Settings
    try {
      this.#followers.get(file.name)?.(this.#current[option] as string)
      this.#setProblem(file)
      this.#options.log.info({ setting: file.label }, 'secret renewed')
      this.#options.onRenewed(file.label)
    } catch (error) {
      this.#current = Object.freeze({ ...this.#current, [option]: before[option] })
      this.#setProblem(file, error)
    }
  }

  /** Logs the same fault once: the file may stay so for long. */
  #setProblem({ label }: SecretFile, error?: unknown): void {
    if (error === undefined) return void this.#problems.delete(label)
    const reason = `${label}: ${(error as Error).message}`
    if (reason !== this.#problems.get(label))
      this.#options.log.warn({ reason }, 'could not renew a secret; using the one before')
    this.#problems.set(label, reason)
  }
}
