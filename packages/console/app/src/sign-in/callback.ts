// The page that the authorization server returns to: it hands the answer over and closes.
import { postAnswer } from './channel.ts'

const { search, pathname } = window.location
// The code stays neither in the address nor in the history.
window.history.replaceState(null, '', pathname)
postAnswer(search)
window.close()
