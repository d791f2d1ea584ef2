// All that the shipped tools need, and one call of each as a client makes it.
import type { Test } from 'tap'
import { github, REPOSITORY } from './github-service.ts'
import { openMeteo } from './open-meteo.ts'
import { filesFolder, fixture, json, setting } from './shipped.ts'
import { html, site } from './web-servers.ts'

export interface Drive {
  readonly args: Record<string, unknown>
  /** What the result has to match. */
  readonly told: object
  /** The question that its user is asked first. */
  readonly asks?: RegExp
}

/** Serves whatever the tools ask for. @returns a call of each tool, in an order in which they follow each other */
export async function everyTool(t: Test): Promise<Readonly<Record<string, Drive>>> {
  filesFolder(t)
  await openMeteo(t)
  await github(t)
  const web = await site(t, {
    '/article': html(fixture('page-article.html')),
    '/search': json(fixture('searxng-search.json')),
  })
  const settings = { EXEC_ALLOW: 'echo', SEARCH_URL: web.url, FETCH_ALLOW: web.host, DATABASE_URL: undefined }
  for (const [name, value] of Object.entries(settings)) setting(t, name, value)
  const path = 'notes/todo.txt'
  const email = `ada.${crypto.randomUUID()}@example.org`
  const structured = (structuredContent: object) => ({ structuredContent })
  return {
    analyze_csv: { args: { filepath: 'data.csv' }, told: structured({ rows: 1, columns: [{ name: 'a', sum: 1 }] }) },
    calculate_sum: { args: { a: 2, b: 3 }, told: structured({ sum: 5 }) },
    get_current_time: { args: { timezone: 'Asia/Tokyo' }, told: structured({ utcOffset: '+09:00' }) },
    get_weather: {
      args: { location: 'Berlin', units: 'imperial' },
      told: { content: [{ text: /^Current weather in Berlin, .*:\nTemperature: 4\.3°F\n/ }] },
    },
    get_weather_data: {
      args: { location: 'Berlin' },
      told: structured({ temperature: 4.3, conditions: 'Light rain', humidity: 87 }),
    },
    create_record: {
      args: { table: 'users', data: { name: 'Ada', email } },
      told: structured({ record: { name: 'Ada', email } }),
      asks: /users/,
    },
    query_database: {
      args: { query: `SELECT name FROM users WHERE email = '${email}'` },
      told: structured({ columns: [{ name: 'name', type: 'text' }], rows: [['Ada']] }),
    },
    write_file: { args: { path, content: 'Buy milk\n' }, told: structured({ size: 9, isNew: true }) },
    list_files: { args: { path: 'notes' }, told: structured({ entries: [{ path, size: 9 }] }) },
    read_file: { args: { path }, told: { content: [{ type: 'text', text: 'Buy milk\n' }] } },
    delete_file: { args: { path }, told: structured({ deleted: true }), asks: /^Delete "notes\/todo\.txt" \(9 bytes/ },
    execute_command: {
      args: { command: 'echo', args: ['$HOME; id'] },
      told: structured({ exitCode: 0, stdout: '$HOME; id\n' }),
    },
    github_create_issue: {
      args: { title: 'Found a bug', body: 'It fails.', labels: ['bug'] },
      told: structured({ number: 1347, repository: REPOSITORY, isNew: true }),
    },
    web_search: { args: { query: 'canal herons' }, told: structured({ results: [{ title: 'Grey heron' }] }) },
    fetch_page: { args: { url: `${web.url}/article` }, told: structured({ title: 'Herons return to the canal' }) },
  }
}
