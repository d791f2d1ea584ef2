// The test that stands for a file where a whole folder runs in one process, by the file's URL.
import type { Test } from 'tap'

export const testsOfFiles = new Map<string, Test>()
