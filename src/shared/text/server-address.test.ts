import { describe, expect, it } from 'vitest'
import { ServerAddress } from '../domain/model/model-profile.ts'
import { readServerAddress } from './server-address.ts'

describe('an address as it is typed', () => {
  it.each([
    ['5001', 'http://127.0.0.1:5001'],
    [':8080', 'http://127.0.0.1:8080'],
    [':8080/v1', 'http://127.0.0.1:8080/v1'],
    ['localhost:5001', 'http://localhost:5001'],
    ['localhost', 'http://localhost'],
    ['192.168.0.5:1234', 'http://192.168.0.5:1234'],
    ['192.168.0.5', 'http://192.168.0.5'],
    ['0.0.0.0:5001', 'http://127.0.0.1:5001'],
    ['http://0.0.0.0:5001/', 'http://127.0.0.1:5001'],
    ['[::1]:8080', 'http://[::1]:8080'],
    ['[fe80::1]', 'http://[fe80::1]'],
    ['::1', 'http://[::1]'],
    ['fd00::25', 'http://[fd00::25]'],
    ['study:1234', 'http://study:1234'],
    ['study.local:1234', 'http://study.local:1234'],
    ['api.example.com/v1', 'https://api.example.com/v1'],
    ['api.example.com:8443', 'https://api.example.com:8443'],
    ['http://api.example.com', 'http://api.example.com'],
    ['https://api.example.com/v1/', 'https://api.example.com/v1'],
    ['HTTP://LOCALHOST:5001', 'http://localhost:5001'],
    ['//localhost:5001', 'http://localhost:5001'],
    [' "http://127.0.0.1:5001" ', 'http://127.0.0.1:5001'],
    ['５００１', 'http://127.0.0.1:5001'],
    ['ｌｏｃａｌｈｏｓｔ：５００１', 'http://localhost:5001'],
  ])('%s', (typed, address) => {
    expect(readServerAddress(typed)).toBe(address)
    expect(ServerAddress.safeParse(address).success).toBe(true)
  })

  it.each([
    '',
    '   ',
    '70000',
    'localhost:99999',
    'ftp://localhost:5001',
    'file:///etc/passwd',
    'http://',
    'user:secret@host:1',
    'localhost:5001?key=1',
    'localhost:5001#x',
    'two words',
    '::1::2',
  ])('is none: %s', (typed) => {
    expect(readServerAddress(typed)).toBeNull()
  })
})
