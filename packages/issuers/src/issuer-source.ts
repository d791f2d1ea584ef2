// The issuers of ISSUERS_FILE, and how those of opaque tokens are asked.
import { findEndpoint } from 'toolrack/access'
import type { IssuerSource } from 'toolrack/settings'
import { Introspection, type IntrospectionSettings } from './introspection.ts'
import { readIssuersFile } from './issuers-file.ts'

export const issuersFile: IssuerSource = {
  read: readIssuersFile,
  createIntrospector({ rules: { issuers: [issuer = ''] = [] }, introspection }, { mayAsk, readSecret, log }) {
    const findUrl = (signal: AbortSignal) =>
      findEndpoint({ issuer, endpoint: 'introspection_endpoint', mayAsk, signal })
    // As `read` has made it.
    const settings = introspection as IntrospectionSettings
    return new Introspection({ issuer, settings, readSecret, findUrl, log })
  },
}
