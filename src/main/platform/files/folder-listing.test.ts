import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createFolder, listFolder } from './folder-listing.ts'

let root = ''
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'tsugi-list-'))
})
afterEach(() => rm(root, { recursive: true, force: true }))

describe('the picker', () => {
  it('shows folders first, in the order that people count, without hidden files', async () => {
    await Promise.all(['第10話', '第2話', '.git'].map((name) => mkdir(join(root, name))))
    await Promise.all(['b.txt', 'a.gguf', 'c.png'].map((name) => writeFile(join(root, name), '')))
    await symlink(join(root, '第2話'), join(root, 'z-link'))
    await symlink(join(root, 'gone'), join(root, 'y-broken'))
    const listing = await listFolder(root)
    expect(listing.entries.map((entry) => [entry.name, entry.kind])).toEqual([
      ['z-link', 'folder'],
      ['第2話', 'folder'],
      ['第10話', 'folder'],
      ['a.gguf', 'gguf'],
      ['b.txt', 'text'],
      ['c.png', 'other'],
      ['y-broken', 'other'],
    ])
    expect(listing.parent).toBe(tmpdir())
    expect((await listFolder('/')).parent).toBeNull()
  })

  it('leaves out files, not folders, where there are too many, and says so only then', async () => {
    await Promise.all(Array.from({ length: 2_000 }, (_, at) => writeFile(join(root, `a${at}.txt`), '')))
    await mkdir(join(root, '.git'))
    expect((await listFolder(root)).isTruncated).toBe(false)
    await mkdir(join(root, 'z'))
    const { entries, isTruncated } = await listFolder(root)
    expect(isTruncated).toBe(true)
    expect(entries).toHaveLength(2_000)
    expect(entries[0]).toMatchObject({ name: 'z', kind: 'folder' })
  })

  it('says what is wrong with a folder', async () => {
    await expect(listFolder(join(root, 'gone'))).rejects.toThrow('file/not-found')
    await expect(createFolder(root, '../x')).rejects.toThrow('file/bad-name')
    await createFolder(root, '新しい作品')
    await expect(createFolder(root, '新しい作品')).rejects.toThrow('file/exists')
  })
})
