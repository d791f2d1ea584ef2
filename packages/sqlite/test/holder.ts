// A process that has a file open until it is told to end.

import { aTask } from '../../state/src/suites/a-task.ts'
import { StateFile } from '../src/file.ts'
import { SqliteTasks } from '../src/tasks.ts'
import { aContext } from './a-file.ts'

const file = new StateFile({ path: process.argv[2]! })
const tasks = new SqliteTasks(file)
file.start(aContext().context)
process.on('message', message => {
  if (message === 'work') {
    tasks.create(aTask())
    process.send!('worked')
  } else {
    file.close()
    process.disconnect()
  }
})
process.send!('ready')
