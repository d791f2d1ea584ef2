// Replays whole conversations, one per revision, with a real server over sockets. What a client of the revision sends
// and what it gets is written in the file of the revision; every message that comes is checked against its schema too.
import { readFileSync } from 'node:fs'
import t from 'tap'
import { REVISIONS } from '../../src/protocol/revisions/index.ts'
import { listening } from '../support/app.ts'
import { Conversation, type Step } from './conversation.ts'
import { shop } from './shop.ts'

for (const { version } of REVISIONS) {
  t.test(`${version}: the whole conversation`, async t => {
    const steps: Step[] = JSON.parse(readFileSync(new URL(`./${version}.json`, import.meta.url), 'utf8'))
    const { app, url } = await listening(t, shop())
    const conversation = new Conversation(app, url, version)
    t.teardown(() => conversation.leave())

    for (const step of steps) {
      const faults = await conversation.play(step)
      t.strictSame(faults, [], step.about)
    }
  })
}
