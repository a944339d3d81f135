import { describe, expect, it } from 'vitest'
import { CliError, readCliOptions } from './cli-options.ts'

describe('the command line', () => {
  it('has quiet defaults: loopback, any port, no download', () => {
    expect(readCliOptions([], '/home/a')).toMatchObject({
      paths: [],
      host: '127.0.0.1',
      port: 0,
      canOpenBrowser: true,
      starter: { isWanted: false },
    })
  })

  it('names folders by option or position, relative to where it was called', () => {
    expect(readCliOptions(['--project', 'a', '/b'], '/home').paths).toEqual(['/home/a', '/b'])
  })

  it('leaves the model out when asked to', () => {
    expect(readCliOptions(['--fetch-starter', '--no-model'], '/').starter.isWanted).toBe(false)
    expect(readCliOptions(['--fetch-starter', '--model', 'x'], '/').starter).toMatchObject({
      isWanted: true,
      starterId: 'x',
    })
  })

  it.each([['--port', 'x'], ['--port', '70000'], ['--colour'], ['--tls-cert', 'c'], ['--lang', 'fr']])(
    'refuses %s %s',
    (...args) => {
      expect(() => readCliOptions(args, '/')).toThrow(CliError)
    },
  )
})
