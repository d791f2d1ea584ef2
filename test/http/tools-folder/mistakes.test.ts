// The log says of each mistake in a tool file what to write instead.
import t from 'tap'
import { testMistakes } from '../../support/tools/mistake.ts'
import { MISTAKES } from '../../support/tools/mistakes.ts'

testMistakes(t, MISTAKES)
