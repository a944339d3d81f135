import { hostname } from 'node:os'
import { describe, expect, it } from 'vitest'
import { createAllowedHosts, isLoopback } from './allowed-hosts.ts'

describe('isLoopback', () => {
  it.each(['127.0.0.1', '127.8.9.10', '::1', '0:0:0:0:0:0:0:1', 'localhost', 'LOCALHOST'])('%s', (host) =>
    expect(isLoopback(host)).toBe(true),
  )
  it.each([
    '0.0.0.0',
    '::',
    '192.168.1.2',
    'localhost.evil.example',
    '127.0.0.1.evil.example',
    '',
    '2130706433',
  ])('not %s', (host) => expect(isLoopback(host)).toBe(false))
})

describe('createAllowedHosts', () => {
  it('knows the default port, which browsers leave out', () => {
    const hosts = createAllowedHosts({ host: '127.0.0.1', port: 443, isTls: true, names: ['Study.example'] })
    expect(hosts.isHost('127.0.0.1')).toBe(true)
    expect(hosts.isHost('study.example:443')).toBe(true)
    expect(hosts.isHost('127.0.0.1:80')).toBe(false)
    expect(hosts.isOrigin('https://127.0.0.1', '127.0.0.1')).toBe(true)
    expect(hosts.isOrigin('http://127.0.0.1', '127.0.0.1')).toBe(false)
  })

  it('allows the machine its own name and addresses when it listens on all of them', () => {
    const hosts = createAllowedHosts({ host: '0.0.0.0', port: 8000, isTls: true, names: [] })
    expect(hosts.isHost(`${hostname()}:8000`)).toBe(true)
    expect(hosts.isHost('0.0.0.0:8000')).toBe(false)
    expect(hosts.isHost('evil.example:8000')).toBe(false)
  })

  it('wants the origin of the very name that was asked', () => {
    const hosts = createAllowedHosts({ host: '::1', port: 8000, isTls: false, names: [] })
    expect(hosts.isOrigin('http://[::1]:8000', '[::1]:8000')).toBe(true)
    expect(hosts.isOrigin('http://localhost:8000', '[::1]:8000')).toBe(false)
    expect(hosts.isOrigin(undefined, '[::1]:8000')).toBe(false)
    expect(hosts.isOrigin('http://evil.example', 'evil.example')).toBe(false)
  })
})
