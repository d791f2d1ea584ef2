import { testStore } from 'toolrack/state'
import { DatabaseTokens } from './used-tokens.ts'

testStore('usedTokens', 'DatabaseTokens', () => new DatabaseTokens())
