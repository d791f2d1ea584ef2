// The page that browsers get at the endpoint, and at `/`.
import type { FastifyRequest } from 'fastify'
import type { BrowserPage, ServerFacts } from 'toolrack/http'
import { PAGE_HEADERS, renderPage as render } from '../page/page.ts'
import { describePage } from './page-model.ts'

export const renderPage = (request: FastifyRequest, facts: ServerFacts): BrowserPage => ({
  html: render(describePage(request, facts)),
  headers: PAGE_HEADERS,
})
