import { generateKeyPairSync, sign } from 'node:crypto'

/** Creates an untrusted certificate for 127.0.0.1 and `names` at run time, so that the repository contains no key. */
export function createSelfSigned(names: readonly string[] = []): { cert: string; key: string } {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const ecdsaWithSha256 = sequence(Buffer.from('06082a8648ce3d040302', 'hex'))
  const commonName = sequence(Buffer.from('0603550403', 'hex'), der(0x0c, Buffer.from('tsugi test')))
  const name = sequence(der(0x31, commonName))
  const validity = sequence(der(0x17, Buffer.from('200101000000Z')), der(0x17, Buffer.from('491231235959Z')))
  const altNames = sequence(
    der(0x87, Buffer.from([127, 0, 0, 1])),
    ...names.map((dnsName) => der(0x82, Buffer.from(dnsName))),
  )
  const extension = sequence(Buffer.from('0603551d11', 'hex'), der(0x04, altNames))
  const body = sequence(
    der(0xa0, Buffer.from('020102', 'hex')),
    Buffer.from('020101', 'hex'),
    ecdsaWithSha256,
    name,
    validity,
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(extension)),
  )
  const signature = der(0x03, Buffer.concat([Buffer.from([0]), sign('sha256', body, privateKey)]))
  const certificate = sequence(body, ecdsaWithSha256, signature)
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${certificate.toString('base64')}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  }
}

/** One value of ASN.1. Source: X.690, 8.1: tag, length, content. */
function der(tag: number, content: Buffer): Buffer {
  const { length } = content
  if (length < 0x80) return Buffer.concat([Buffer.from([tag, length]), content])
  const head = length < 0x100 ? [tag, 0x81, length] : [tag, 0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.from(head), content])
}

function sequence(...parts: Buffer[]): Buffer {
  return der(0x30, Buffer.concat(parts))
}
