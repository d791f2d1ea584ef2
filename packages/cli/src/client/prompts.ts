// The kinds of prompts that questions need. The library has more, which the bundle leaves out.
export { checkbox, confirm, input, number, select } from '@inquirer/prompts'
