import { execFileSync } from 'node:child_process'
import { lstatSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { tempFolder } from '../../../tests/fakes/disks/temp-folder.ts'
import { createFileLog } from './log.ts'
import { systemRandom } from './random.ts'

describe('the log', () => {
  it('has neither manuscript text nor keys', () => {
    const folder = tempFolder()
    const log = createFileLog({ folder, random: systemRandom, isVerbose: true })
    const secret = 'sk-0123456789'
    log.write('info', 'run.start', {
      text: '吾輩は猫である',
      request: { prompt: '吾輩は猫である', apiKey: secret, headers: { authorization: `Bearer ${secret}` } },
      completionTokens: 12,
    })
    const cause = new SyntaxError(`Unexpected token '吾', "吾輩は猫である" is not valid JSON`)
    const logId = log.bug(new Error('failed on 吾輩は猫である', { cause }), 'test')
    log.close()
    const written = readFileSync(join(folder, 'tsugi.log'), 'utf8')
    expect(written).not.toContain('吾輩')
    expect(written).not.toContain(secret)
    expect(written).toContain('"completionTokens":12')
    expect(written).toContain(logId)
    expect(written).toContain('log.test.ts')
  })

  it.skipIf(process.platform === 'win32').each([
    ['a pipe', (path: string) => execFileSync('mkfifo', [path])],
    ['a folder', (path: string) => mkdirSync(path)],
    ['a circle of links', (path: string) => symlinkSync(path, path)],
    ['a link to nothing', (path: string) => symlinkSync('/nowhere/at all', path)],
    ['a device', (path: string) => symlinkSync('/dev/full', path)],
  ])('is silent, and nothing waits, where %s has its name', (_what, make) => {
    const folder = tempFolder()
    make(join(folder, 'tsugi.log'))
    const before = lstatSync(join(folder, 'tsugi.log')).ino
    const log = createFileLog({ folder, random: systemRandom, isVerbose: false, limitBytes: 50 })
    for (let count = 0; count < 5; count++) log.write('info', 'event', { count })
    log.close()
    expect(readdirSync(folder)).toEqual(['tsugi.log'])
    expect(lstatSync(join(folder, 'tsugi.log')).ino).toBe(before)
  })

  it('goes on where it cannot turn over', () => {
    const folder = tempFolder()
    // A folder with something in it cannot be removed as a file.
    mkdirSync(join(folder, 'tsugi.4.log', 'kept'), { recursive: true })
    const log = createFileLog({ folder, random: systemRandom, isVerbose: false, limitBytes: 500 })
    for (let count = 0; count < 60; count++) log.write('info', 'event', { count })
    log.close()
    expect(readFileSync(join(folder, 'tsugi.log'), 'utf8').split('\n').filter(Boolean)).toHaveLength(60)
  })

  it('turns over at its size and keeps five files', () => {
    const folder = tempFolder()
    const log = createFileLog({ folder, random: systemRandom, isVerbose: false, limitBytes: 500 })
    for (let count = 0; count < 60; count++) log.write('info', 'event', { count })
    log.write('debug', 'unseen')
    log.close()
    expect(readdirSync(folder).sort()).toEqual([
      'tsugi.1.log',
      'tsugi.2.log',
      'tsugi.3.log',
      'tsugi.4.log',
      'tsugi.log',
    ])
    for (const name of readdirSync(folder)) expect(statSync(join(folder, name)).size).toBeLessThanOrEqual(500)
    expect(readFileSync(join(folder, 'tsugi.log'), 'utf8')).toContain('"count":59')
    expect(readFileSync(join(folder, 'tsugi.log'), 'utf8')).not.toContain('unseen')
  })
})
