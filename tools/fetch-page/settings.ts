import { allowListOf } from '../_web/allow-list.ts'

/** Reads the tool's environment. @throws Error that names the malformed variable */
export function readSettings({ FETCH_ALLOW, FETCH_USER_AGENT }: NodeJS.ProcessEnv) {
  const userAgent = FETCH_USER_AGENT || 'Toolrack'
  if (!/^[A-Za-z_-]+[\x20-\x7e]{0,200}$/.test(userAgent)) {
    throw new Error('FETCH_USER_AGENT must begin with a name of letters, as robots.txt has it, and be plain ASCII')
  }
  return { allow: allowListOf('FETCH_ALLOW', FETCH_ALLOW), userAgent }
}
