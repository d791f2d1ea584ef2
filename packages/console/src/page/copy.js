// Copies the text that a button names, and says so. Without a script, a click selects the text.
const SAID_MS = 2000
const said = document.getElementById('said')

document.documentElement.classList.add('has-script')
document.addEventListener('click', async event => {
  const button = event.target.closest?.('[data-copy]')
  if (!button) return
  const source = document.getElementById(button.dataset.copy)
  const words = button.lastChild
  let answer = 'Copied'
  try {
    await navigator.clipboard.writeText(source.textContent)
  } catch {
    // Browsers have no clipboard for pages without HTTPS.
    getSelection().selectAllChildren(source)
    answer = 'Selected'
  }
  words.textContent = said.textContent = answer
  setTimeout(() => {
    words.textContent = 'Copy'
    said.textContent = ''
  }, SAID_MS)
})
