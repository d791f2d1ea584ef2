// The issuers of ISSUERS_FILE, and how issuers are asked.
import type { IssuerSource } from './issuer-specs.ts'
import { readIssuersFile } from './issuers-file.ts'
import { openIssuer } from './open-issuer.ts'

export const issuerSource: IssuerSource = { read: readIssuersFile, open: openIssuer }
