// The log says of each import that Node cannot follow where it is, and what to write instead.
import t from 'tap'
import { IMPORT_MISTAKES } from '../../support/tools/import-mistakes.ts'
import { testMistakes } from '../../support/tools/mistake.ts'

testMistakes(t, IMPORT_MISTAKES)
