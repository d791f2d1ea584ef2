// Text for people, logs and terminals.

export { cleanText } from '../../src/text/clean.ts'
export { describeValue } from '../../src/text/describe-value.ts'
export { toLogged, toReason } from '../../src/text/logged-error.ts'
export { findNearestName } from '../../src/text/nearest-name.ts'
export { toNewName } from '../../src/text/new-name.ts'
export { cutText, toOneLine } from '../../src/text/one-line.ts'
export { isSecretName } from '../../src/text/secret-names.ts'
export { explainError, readErrorMessage } from '../../src/text/thrown.ts'
export { hasCredentials, hideCredentials, quoteUrl, toShownUrl, WITH_PASSWORD } from '../../src/text/url-credentials.ts'
export { decodeUtf8, readUtf8 } from '../../src/text/utf8.ts'
export { showHidden, showName, toVisible, toVisibleLine } from '../../src/text/visible.ts'
