// Certificates that sign themselves, as X.509 has them (RFC 5280, 4.1): Node reads such, and makes none.
import { generateKeyPairSync, sign } from 'node:crypto'

const DAY_MS = 86_400_000

export interface Certificate {
  readonly key: string
  readonly cert: string
}

/** For a DNS name or an IPv4 address. @param days until it ends; one that has ended began the day before */
export function certificate(name: string, days = 1): Certificate {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const algorithm = der(0x30, der(0x06, '2a8648ce3d040302'))
  const commonName = der(0x30, der(0x31, der(0x30, der(0x06, '550403'), der(0x0c, Buffer.from(name)))))
  const untilMs = Date.now() + days * DAY_MS
  const toBeSigned = der(
    0x30,
    der(0xa0, der(0x02, '02')),
    der(0x02, '01'),
    algorithm,
    commonName,
    der(0x30, time(Math.min(Date.now(), untilMs) - DAY_MS), time(untilMs)),
    commonName,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, der(0x30, der(0x30, der(0x06, '551d11'), der(0x04, der(0x30, alternative(name)))))),
  )
  const signature = der(0x03, '00', sign('sha256', toBeSigned, privateKey))
  const lines =
    der(0x30, toBeSigned, algorithm, signature)
      .toString('base64')
      .match(/.{1,64}/g) ?? []
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`,
  }
}

function alternative(name: string): Buffer {
  const isAddress = /^[\d.]+$/.test(name)
  return isAddress ? der(0x87, Buffer.from(name.split('.').map(Number))) : der(0x82, Buffer.from(name))
}

const time = (ms: number) => {
  const digits = new Date(ms).toISOString().replace(/[-:T]|\.\d+/g, '')
  return der(0x18, Buffer.from(digits))
}

/** One value with its tag and length; text is hexadecimal. */
function der(tag: number, ...parts: (Buffer | string)[]): Buffer {
  const body = Buffer.concat(parts.map(part => (typeof part === 'string' ? Buffer.from(part, 'hex') : part)))
  const { length } = body
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255]
  return Buffer.concat([Buffer.from([tag, ...size]), body])
}
