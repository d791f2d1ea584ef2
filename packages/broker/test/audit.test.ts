import { Writable } from 'node:stream'
import Fastify from 'fastify'
import t from 'tap'
import { Audit } from '../src/audit.ts'
import { Metrics } from '../src/metrics.ts'

t.test('audit lines are there at each LOG_LEVEL, and counted', async t => {
  const lines: string[] = []
  const stream = new Writable({
    write(chunk, _, done) {
      lines.push(String(chunk))
      done()
    },
  })
  const { log } = Fastify({ logger: { level: 'silent', stream } })
  const metrics = new Metrics()
  log.error('not this one')
  new Audit(log, metrics).write('signed_in', { address: '203.0.113.1', subject: 'alice' })

  t.equal(lines.length, 1)
  t.match(JSON.parse(lines[0]!), { audit: true, event: 'signed_in', subject: 'alice', msg: 'signed in' })
  t.match(metrics.toText({}), /^toolrack_broker_events_total\{event="signed_in"\} 1$/m)
})
