// The kinds of prompts that a question needs: the library has more, which the bundle leaves out.
export { checkbox, confirm, input, number, select } from '@inquirer/prompts'
