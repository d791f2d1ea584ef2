// Uses the proxy of the environment, or of `.env` once it is read.

/** A process without a proxy does not load the code for it. */
const PROXY = /^https?_proxy$/i

export async function useProxy(): Promise<void> {
  if (!Object.keys(process.env).some(name => PROXY.test(name))) return
  const { useEnvironmentProxy } = await import('./proxy.ts')
  const hint = useEnvironmentProxy()
  if (hint !== undefined) process.stderr.write(`${hint}\n`)
}
