// What the client needs of undici, which is loaded by the first request. Named here, since a bundle
// of CommonJS has only a default export for who imports it later.
export { buildConnector, Client } from 'undici'
