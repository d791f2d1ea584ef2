// A server that answers as GitHub's REST API does, and remembers what was asked and filed.
import type { IncomingMessage } from 'node:http'
import type { Test } from 'tap'
import { type Answer, fixture, json, setting, upstream } from './shipped.ts'

export const TOKEN = 'ghp_0123456789abcdefghijABCDEFGHIJ012345'
export const REPOSITORY = 'octocat/Hello-World'
export const CALL = { title: 'Found a bug', body: 'It fails.', labels: ['bug'] }

export interface Asked {
  readonly method: string
  readonly url: string
  readonly headers: IncomingMessage['headers']
  // biome-ignore lint/suspicious/noExplicitAny: tests look into what was sent freely
  readonly body: any
}

// biome-ignore lint/suspicious/noExplicitAny: an issue of the API
export type GitHubIssue = any

export interface Service {
  readonly url: string
  readonly asked: Asked[]
  /** The newest first, as they are listed. */
  readonly issues: GitHubIssue[]
  /** How many requests were to create an issue. */
  readonly posts: number
  user: Answer
  list: Answer
  create: Answer
  /** Adds an issue as if it had been filed. @returns it */
  file(over?: object): GitHubIssue
}

/** GitHub, and the settings that lead there. */
export async function github(t: Test): Promise<Service> {
  const asked: Asked[] = []
  const issues: GitHubIssue[] = []
  const service: Service = {
    url: await upstream(t, async (request, response) => {
      const body = await bodyOf(request)
      const { method = '', url = '', headers } = request
      asked.push({ method, url, headers, body })
      if (url.endsWith('/user')) service.user(request, response)
      else if (method === 'GET') service.list(request, response)
      else service.create(request, response)
    }),
    asked,
    issues,
    get posts() {
      return asked.filter(({ method }) => method === 'POST').length
    },
    user: json(fixture('github-user.json')),
    list: (request, response) => json(JSON.stringify(issues))(request, response),
    create: (request, response) => {
      const { title, body, labels } = asked.at(-1)!.body
      const issue = service.file({ title, body, labels: labels.map((name: string) => ({ name })) })
      json(JSON.stringify(issue), 201)(request, response)
    },
    file(over = {}) {
      const number = 1347 + issues.length
      const html_url = `https://github.com/${REPOSITORY}/issues/${number}`
      const issue = { ...JSON.parse(fixture('github-issue.json')), number, html_url, ...over }
      issues.unshift(issue)
      return issue
    },
  }
  setting(t, 'GITHUB_API_URL', service.url)
  setting(t, 'GITHUB_TOKEN', TOKEN)
  setting(t, 'GITHUB_REPOSITORY', REPOSITORY)
  setting(t, 'GITHUB_REPOSITORIES', undefined)
  return service
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  let text = ''
  for await (const chunk of request) text += chunk
  return text === '' ? undefined : JSON.parse(text)
}
