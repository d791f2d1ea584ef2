// Sends the page that browsers get at the endpoint, and at `/`.
import type { FastifyReply } from 'fastify'
import { setStallTimeout } from 'toolrack/http'
import { PAGE_HEADERS, renderPage } from '../page/page.ts'
import { describePage, type PageRequest } from './page-model.ts'

export async function servePage(asked: PageRequest, reply: FastifyReply): Promise<FastifyReply> {
  const text = renderPage(describePage(asked))
  reply.headers(PAGE_HEADERS).headers({ 'cache-control': 'no-store', vary: 'Accept, Authorization, Origin' })
  reply.type('text/html; charset=utf-8').send(text)
  setStallTimeout(reply.raw)
  return reply
}
