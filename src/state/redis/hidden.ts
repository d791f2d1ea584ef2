// What stands in a key's name for who it is: nobody who reads the names learns that.
import { hash } from 'node:crypto'

/** 132 bits. */
const LENGTH = 22

export const hidden = (name: string): string => hash('sha256', name, 'base64url').slice(0, LENGTH)
