// The log says of each import that Node cannot follow where it is, and what to write instead.
import t from 'tap'
import { IMPORT_MISTAKES } from '../../../../test/support/tools/import-mistakes.ts'
import { testMistakes } from '../../../../test/support/tools/mistake.ts'

testMistakes(t, IMPORT_MISTAKES)
