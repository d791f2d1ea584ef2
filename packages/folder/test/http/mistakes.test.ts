// The log says of each mistake in a tool file what to write instead.
import t from 'tap'
import { testMistakes } from '../../../../test/support/tools/mistake.ts'
import { MISTAKES } from '../../../../test/support/tools/mistakes.ts'

testMistakes(t, MISTAKES)
