// The issuers of ISSUERS_FILE, and the requests to issuers.
import type { IssuerSource } from 'toolrack/settings'
import { readIssuersFile } from './issuers-file.ts'
import { openIssuer } from './open-issuer.ts'

export const issuerSource: IssuerSource = { read: readIssuersFile, open: openIssuer }
