// The page to which the authorization server returns. It passes on the answer, and closes.
import { postAnswer } from './channel.ts'

const { search, pathname } = window.location
// Removes the code from the address and the history.
window.history.replaceState(null, '', pathname)
postAnswer(search)
window.close()
