import { mock } from 'node:test'
import t, { type Test } from 'tap'
import { callTool } from '../../../support/app.ts'
import { errorOf, serve } from '../../../support/tools/shipped.ts'

async function tellTime(t: Test, now: string, args: object) {
  const app = await serve(t, 'get_current_time')
  mock.timers.enable({ apis: ['Date'], now: Date.parse(now) })
  try {
    return await callTool(app, 'get_current_time', args)
  } finally {
    mock.timers.reset()
  }
}

t.test('get_current_time: UTC where no zone is named', async t => {
  const { structuredContent } = await tellTime(t, '2026-11-21T06:00:00Z', {})

  t.strictSame(structuredContent, {
    timezone: 'UTC',
    iso: '2026-11-21T06:00:00+00:00',
    date: '2026-11-21',
    time: '06:00:00',
    weekday: 'Saturday',
    utcOffset: '+00:00',
  })
})

const INSTANTS = [
  ['Europe/Berlin', '2026-11-21T06:00:00Z', '2026-11-21T07:00:00+01:00', 'Saturday'],
  ['Europe/Berlin', '2026-07-01T06:00:00Z', '2026-07-01T08:00:00+02:00', 'Wednesday'],
  ['Europe/Berlin', '2026-03-29T00:59:59Z', '2026-03-29T01:59:59+01:00', 'Sunday'],
  ['Europe/Berlin', '2026-03-29T01:00:00Z', '2026-03-29T03:00:00+02:00', 'Sunday'],
  ['America/St_Johns', '2026-01-01T02:00:00Z', '2025-12-31T22:30:00-03:30', 'Wednesday'],
  ['Pacific/Kiritimati', '2026-12-31T10:00:00Z', '2027-01-01T00:00:00+14:00', 'Friday'],
  ['+05:30', '2026-11-21T06:00:00Z', '2026-11-21T11:30:00+05:30', 'Saturday'],
  ['Asia/Kathmandu', '2028-02-28T18:15:00Z', '2028-02-29T00:00:00+05:45', 'Tuesday'],
] as const

for (const [timezone, now, iso, weekday] of INSTANTS) {
  t.test(`get_current_time: ${now} in ${timezone} is ${iso}`, async t => {
    const { structuredContent } = await tellTime(t, now, { timezone })

    t.match(structuredContent, { timezone, iso, weekday, utcOffset: iso.slice(-6), date: iso.slice(0, 10) })
    t.equal(Date.parse(structuredContent.iso), Date.parse(now))
  })
}

t.test('get_current_time: the zone is named as it was asked for', async t => {
  const { structuredContent } = await tellTime(t, '2026-11-21T06:00:00Z', { timezone: 'Asia/Kolkata' })

  t.match(structuredContent, { timezone: 'Asia/Kolkata', utcOffset: '+05:30' })
})

const UNKNOWN = [
  ['Berlin', /"Berlin"\. Similar names: .*Europe\/Berlin/],
  ['Europe/Berln', /Similar names: Europe\/Berlin/],
  ['New York', /Similar names: America\/New_York/],
  ['Tokio', /Similar names: .*Asia\/Tokyo/],
  ['UTC+2', /of the form Area\/City, .* an offset, such as "\+02:00"/],
  ['xq', /of the form Area\/City, such as "Europe\/Berlin"/],
  ['../../etc/passwd', /There is no time zone/],
] as const

for (const [timezone, expected] of UNKNOWN) {
  t.test(`get_current_time: the unknown zone ${timezone} is an error that helps`, async t => {
    const result = await tellTime(t, '2026-11-21T06:00:00Z', { timezone })

    t.match(errorOf(result), expected)
  })
}

t.test('get_current_time: a misspelt argument is refused, not taken for UTC', async t => {
  const result = await tellTime(t, '2026-11-21T06:00:00Z', { timeZone: 'Europe/Berlin' })

  t.match(errorOf(result), /timeZone is not a known property/)
})

t.test('get_current_time: formats are made once for a zone, and no more than 100 are kept', async t => {
  const app = await serve(t, 'get_current_time')
  const { DateTimeFormat } = Intl
  const made: unknown[] = []
  t.intercept(Intl, 'DateTimeFormat', {
    value: new Proxy(DateTimeFormat, {
      construct(target, [locale, options]) {
        made.push(options.timeZone)
        return new target(locale, options)
      },
    }),
  })
  const call = (timezone: string) => callTool(app, 'get_current_time', { timezone })
  const zones = Intl.supportedValuesOf('timeZone').slice(0, 100)

  for (const timezone of [...zones, ...zones]) await call(timezone)
  t.strictSame(made, zones)

  await call('+05:30')
  await call(zones[0]!)
  t.strictSame(made.slice(100), ['+05:30', zones[0]])
})
