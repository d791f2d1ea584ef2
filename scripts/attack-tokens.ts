// `npm run attack:tokens`: sends forged and foreign tokens to a server with each kind of key, and
// forged API keys. `-- --cost` measures a token when it is first seen and later; `-- --flood`
// measures how a flood of bad tokens or API keys slows down good ones from the same address. Exits
// with 1 if one is accepted or breaks something.

import { tokenCosts } from '../test/processes/attack/token-costs.ts'
import { apiKeyFlood, tokenFlood } from '../test/processes/attack/token-flood.ts'
import { attackApiKeys } from '../test/support/auth/attack-api-keys.ts'
import { attackTokens, type Report } from '../test/support/auth/attack-tokens.ts'
import { scoped } from '../test/support/scoped.ts'

let hasFailed = false

function print(what: string, { tried, rows, letIn, broken, odd, leaked, good, ofGood, trapped }: Report): void {
  const byRow = Object.entries(rows).sort(([a], [b]) => Number(a.slice(1)) - Number(b.slice(1)))
  console.log(what)
  console.log(`  tried        ${tried} (${byRow.map(([row, count]) => `${row} ${count}`).join(', ')})`)
  console.log(`  let in       ${letIn.length}`)
  console.log(`  5xx          ${broken.length}`)
  console.log(`  not 401      ${odd.length}`)
  console.log(`  leaked       ${leaked.length}`)
  console.log(`  good ones    ${good} of ${ofGood} served`)
  console.log(`  fetched from an address that a token named: ${trapped}`)
  for (const each of [...letIn, ...broken, ...odd, ...leaked].slice(0, 20)) console.error(each)
  hasFailed ||= letIn.length + broken.length + odd.length + leaked.length + trapped > 0 || good !== ofGood
}

print('tokens', await scoped(attackTokens))
print('API keys', await scoped(attackApiKeys))

if (process.argv.includes('--cost')) {
  for (const { alg, firstUs, againUs } of await scoped(tokenCosts)) {
    console.log(
      `${alg.padEnd(6)} first ${firstUs.toFixed(0).padStart(5)} us   again ${againUs.toFixed(2).padStart(6)} us`,
    )
  }
}
if (process.argv.includes('--flood')) {
  const reports = [...(await scoped(tokenFlood)), ...(await scoped(apiKeyFlood))]
  for (const { name, p50Ms, p99Ms, served, refused, cores, flood } of reports) {
    const times = `p50 ${p50Ms.toFixed(1)} ms, p99 ${p99Ms.toFixed(1)} ms`
    const answers = Object.entries(flood).map(([status, count]) => `${status}: ${count}`)
    console.log(
      `${name}: ${times}, ${served} served, ${refused} refused, ${cores.toFixed(2)} cores; ${answers.join(' ')}`,
    )
  }
}
if (hasFailed) process.exitCode = 1
