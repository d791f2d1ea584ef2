// The log says of each mistake in a prompt or a resource what to write instead.
import t from 'tap'
import { CONTENT_MISTAKES } from '../../../../test/support/tools/content-mistakes.ts'
import { testMistakes } from '../../../../test/support/tools/mistake.ts'

testMistakes(t, CONTENT_MISTAKES)
