import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { tempFolder } from '../../../../tests/fakes/disks/temp-folder.ts'
import { isAppError } from '../../../shared/errors.ts'
import { nodeDisk } from './disk.ts'
import { checkNewName, plainFileName, resolveInside } from './real-path.ts'

const codeOf = async (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'nothing was thrown',
    (error: unknown) => (isAppError(error) ? error.info.code : error),
  )

describe('paths of a folder', () => {
  it('finds files, new names and absolute paths inside', async () => {
    const root = tempFolder()
    mkdirSync(join(root, 'a'))
    writeFileSync(join(root, 'a/1.txt'), '')
    expect(await resolveInside(nodeDisk, root, './a//1.txt')).toEqual({
      absolute: join(root, 'a/1.txt'),
      path: 'a/1.txt',
      isPresent: true,
    })
    expect(await resolveInside(nodeDisk, root, 'b/..2.txt')).toMatchObject({
      path: 'b/..2.txt',
      isPresent: false,
    })
    expect(await resolveInside(nodeDisk, root, join(root, 'a'))).toMatchObject({ path: 'a', isPresent: true })
  })

  it('refuses what leads out, by steps, by a link, or by an absolute path', async () => {
    const outside = tempFolder()
    const root = tempFolder()
    symlinkSync(outside, join(root, 'link'))
    symlinkSync(join(outside, 'nothing'), join(root, 'dangling'))
    expect(await codeOf(resolveInside(nodeDisk, root, '../x'))).toBe('file/outside')
    expect(await codeOf(resolveInside(nodeDisk, root, 'link/x.txt'))).toBe('file/outside')
    expect(await codeOf(resolveInside(nodeDisk, root, join(outside, 'x')))).toBe('file/outside')
    expect(await codeOf(resolveInside(nodeDisk, root, `${root}-twin/x`))).toBe('file/outside')
    expect(await codeOf(resolveInside(nodeDisk, root, 'dangling'))).toBe('file/not-found')
    expect(await codeOf(resolveInside(nodeDisk, root, 'a\0b'))).toBe('file/bad-name')
  })

  it('follows a link that stays inside to the file itself', async () => {
    const root = tempFolder()
    writeFileSync(join(root, 'real.txt'), '')
    symlinkSync('real.txt', join(root, 'alias.txt'))
    expect(await resolveInside(nodeDisk, root, 'alias.txt')).toMatchObject({ path: 'real.txt' })
  })

  it('finds a name that is composed differently on disk', async () => {
    const root = tempFolder()
    writeFileSync(join(root, 'が.txt'.normalize('NFD')), '')
    const found = await resolveInside(nodeDisk, root, 'が.txt'.normalize('NFC'))
    expect(found.isPresent).toBe(true)
  })

  it.each([
    '',
    '.',
    '..',
    'a/b',
    'a\\b',
    'CON',
    'nul.txt',
    'com1',
    'a.',
    'a ',
    'a?b',
    'a\0',
    'x'.repeat(256),
  ])('refuses the new name %j', (name) => {
    expect(() => checkNewName(name)).toThrow('file/bad-name')
  })

  it.each(['..foo.txt', '第一章.txt', 'console.txt', 'a b', '.hidden'])('takes the new name %j', (name) => {
    expect(() => checkNewName(name)).not.toThrow()
  })
})

it('any text becomes a name that every system takes, or nothing', () => {
  const devices = ['nul', 'con.foo', 'CONIN$', 'com¹', 'AUX .txt']
  const marks = ['../../etc/passwd', 'a\u0085b', 'a\0b', '\ud800', 'x\udc00y', '...', ' . ', 'a\u202eb?*<>|"']
  const long = ['𠮷'.repeat(300), 'あ'.repeat(300), `a${'\u0301'.repeat(1_000)}`, 'e. '.repeat(100)]
  for (const text of [...devices, ...marks, ...long]) {
    const name = plainFileName(text, 80)
    expect([...name].length).toBeLessThanOrEqual(81)
    for (const whole of name === '' ? [] : [name, `${name}.docx`, `${name} 10000.md`])
      expect(() => checkNewName(whole), whole).not.toThrow()
  }
  expect(plainFileName('../.con', 80)).toBe('_con')
  expect(plainFileName('第一章: 雨?', 80)).toBe('第一章 雨')
})
