import { describe, expect, it } from 'vitest'
import { isPublicAddress } from './public-address.ts'

describe('a public address', () => {
  it.each(['93.184.216.34', '1.1.1.1', '2606:4700:4700::1111', '172.32.0.1'])('is %s', (address) => {
    expect(isPublicAddress(address)).toBe(true)
  })

  it.each([
    '127.0.0.1',
    '10.1.2.3',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    '169.254.169.254',
    '100.64.0.1',
    '0.0.0.0',
    '224.0.0.1',
    '255.255.255.255',
    '::1',
    '::',
    '::ffff:127.0.0.1',
    '::ffff:93.184.216.34',
    '64:ff9b::7f00:1',
    'fe80::1',
    'fe80::1%eth0',
    'fc00::1',
    'ff02::1',
    '2002:7f00:1::',
    '2001:db8::1',
    'localhost',
    '',
  ])('is not %s', (address) => {
    expect(isPublicAddress(address)).toBe(false)
  })
})
