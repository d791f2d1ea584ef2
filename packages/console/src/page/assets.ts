// The style sheet and the script of the page, as texts. The build puts them into the module itself.
import { readFileSync } from 'node:fs'

const read = (file: string) => readFileSync(new URL(file, import.meta.url), 'utf8')

/** In the order in which they apply. */
const STYLES = ['tokens', 'base', 'parts', 'connect', 'page']

export const STYLE = STYLES.map(name => read(`./styles/${name}.css`)).join('\n')
export const SCRIPT = read('./copy.js')
