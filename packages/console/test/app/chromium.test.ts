// Tests in a browser need one: without it they say what to install.
import t from 'tap'
import { findChromium } from '../../../../test/support/browser/chromium.ts'

t.test('CHROMIUM names the browser', async t => {
  t.intercept(process, 'env', { value: { ...process.env, CHROMIUM: process.execPath } })
  t.equal(findChromium(), process.execPath)
})

t.test('without a browser it says what to install', async t => {
  t.intercept(process, 'env', { value: { ...process.env, CHROMIUM: '/nowhere/chromium' } })
  t.throws(findChromium, {
    message: /^No Chromium at \/nowhere\/chromium\. Install it \(Debian: apt install chromium-headless-shell\)/,
  })
})
