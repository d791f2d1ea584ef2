// Turns an answer of GitHub that is no issue into advice for the model. It quotes GitHub's own
// message, shortened.
import { ToolError } from 'toolrack'
import type { Reply } from './client.ts'
import { listMember, textMember } from './members.ts'

const MAX_QUOTED = 300

/** Whether the issue may have been filed; only then should the same call be repeated unchanged. */
export type Doubt = 'may be filed' | 'not filed'

/** @param doubt what is known if GitHub itself fails */
export function failureOf({ status, headers, data }: Reply, repository: string, doubt: Doubt): ToolError {
  const said = `GitHub answered HTTP ${status}${quoted(data)}`
  const limit = limitOf(status, headers, data)
  if (limit !== undefined) return new ToolError(`${said}. Nothing was filed. It has had too many requests: ${limit}`)
  switch (status) {
    case 401:
      return new ToolError(`${said}. Do not repeat this call: the operator should renew GITHUB_TOKEN.`)
    case 403:
      return new ToolError(
        `${said}. Do not repeat this call: the operator should give the token of GITHUB_TOKEN the right to write ` +
          `issues in ${repository}.`,
      )
    case 404:
      return new ToolError(
        `${said}. ${repository} does not exist, or the token may not see it: use another repository, or tell the operator.`,
      )
    case 410:
      return new ToolError(`${said}. ${repository} takes no issues: use another repository, or tell its owner.`)
    case 400:
    case 422:
      return new ToolError(`${said}. Nothing was filed. Correct the arguments that it names before you call again.`)
  }
  if (status >= 500) return unavailable(`${said}.`, doubt)
  if (status >= 300 && status < 400) {
    return new ToolError(
      `${said}. Redirects are not followed: ${repository} may have moved. The operator should check GITHUB_REPOSITORY, ` +
        'GITHUB_REPOSITORIES and GITHUB_API_URL.',
    )
  }
  return new ToolError(`${said}. Do not repeat this call: the operator should check GITHUB_API_URL.`)
}

/** For a missing or unusable answer. @param what such as `GitHub did not answer in time.` */
export function unavailable(what: string, doubt: Doubt, cause?: unknown): ToolError {
  if (doubt === 'not filed') return new ToolError(`${what} Nothing was filed: try again in a minute.`, { cause })
  return new ToolError(
    `${what} The issue may have been filed all the same. Call again in a minute with exactly the same arguments: if it ` +
      'was, you are told which one it is, and no second one is filed.',
    { cause },
  )
}

// https://docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api, "Exceeding the rate
// limit".
function limitOf(status: number, headers: Reply['headers'], data: unknown): string | undefined {
  if (status !== 403 && status !== 429) return undefined
  const seconds = Number(headers['retry-after'])
  if (seconds > 0) return `wait ${seconds} s, then try once.`
  const resetS = Number(headers['x-ratelimit-reset'])
  if (String(headers['x-ratelimit-remaining']) === '0' && resetS > 0 && resetS < 1e11) {
    return `wait until ${new Date(resetS * 1000).toISOString()}, then try once.`
  }
  const isLimit = status === 429 || /rate limit|abuse detection/i.test(textMember(data, 'message') ?? '')
  return isLimit ? 'wait at least a minute, then try once.' : undefined
}

function quoted(data: unknown): string {
  const message = textMember(data, 'message')
  if (message === undefined) return ''
  const all = [message, ...listMember(data, 'errors').map(faultOf)].join('; ')
  return `, saying ${JSON.stringify(all.slice(0, MAX_QUOTED).toWellFormed())}`
}

// An entry is `{ resource, field, code, message? }`, or a sentence.
function faultOf(error: unknown): string {
  if (typeof error === 'string') return error
  return ['field', 'code', 'message'].flatMap(key => textMember(error, key) ?? []).join(' ')
}
