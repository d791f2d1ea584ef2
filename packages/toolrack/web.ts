// Which addresses of the web a program may ask, as the tools that ship decide it.
export { isPublic } from '../../tools/_web/address.ts'
export { type AllowList, allowListOf } from '../../tools/_web/allow-list.ts'
export { BAD_PORTS } from '../../tools/_web/bad-ports.ts'
