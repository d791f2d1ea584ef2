import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { defineTool, Type } from 'toolrack'

const FOLDER = 'reports'

export default defineTool({
  name: 'make_report',
  description: 'Adds up the sales of a year, month by month. Takes minutes. Example: { "year": 2026 }.',
  inputSchema: Type.Object({ year: Type.Integer({ minimum: 2000, maximum: 2100 }) }),
  outputSchema: Type.Object({ total: Type.Integer() }),
  annotations: { idempotentHint: true },
  task: 'optional',
  timeout: '10 minutes',
  async handler({ year }, { progress, signal }) {
    await mkdir(FOLDER, { recursive: true })
    let total = 0
    for (let month = 1; month <= 12; month++) {
      progress(month - 1, 12, `Month ${month} of ${year}`)
      total += await once(`${FOLDER}/${year}-${month}.txt`, () => addUp(year, month, signal))
    }
    return { total }
  },
})

/** What an earlier run has worked out is not worked out again. */
async function once(path: string, compute: () => Promise<number>): Promise<number> {
  const known = await readFile(path, 'utf8').catch(() => undefined)
  if (known !== undefined) return Number(known)
  const value = await compute()
  await writeFile(path, String(value))
  return value
}

/** In place of a slow query; like each slow step, it ends when the signal says so. */
async function addUp(year: number, month: number, signal: AbortSignal): Promise<number> {
  await sleep(Number(process.env['MONTH_MS'] ?? 2_000), undefined, { signal })
  return year * month
}
