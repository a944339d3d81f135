import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { placeOnDisk } from '../../../tests/fakes/disks/on-disk.ts'
import { tempFolder } from '../../../tests/fakes/disks/temp-folder.ts'
import { gateData } from '../../../tests/fakes/rigs/gate-rig.ts'
import { nodeDisk } from '../platform/files/disk.ts'
import { createFolderOffers } from './folder-offer.ts'

placeOnDisk()

/** A home with projects, the app's data in it, and a session in one of the projects. */
async function home() {
  const at = tempFolder()
  const make = (...names: string[]): string => {
    const path = join(at, ...names)
    mkdirSync(path, { recursive: true })
    return path
  }
  const root = make('work', 'novel')
  make('work', 'lib', '.git')
  const deep = make('work', 'lib', 'src', 'deep')
  writeFileSync(join(deep, 'a.ts'), 'a')
  make('notes', 'diary')
  writeFileSync(join(at, 'notes', 'n.txt'), 'n')
  make('.ssh')
  make('data', 'app', 'checkpoints')
  const { kinds } = await gateData()
  const offers = createFolderOffers({
    disk: nodeDisk,
    home: at,
    dataDir: join(at, 'data', 'app'),
    isSecret: kinds.isSecret,
  })
  const folders = { root, added: [] as string[] }
  return { at, root, folders, offers }
}

describe('the folder to add for a path that was refused', () => {
  it('is its repository, else the folder that holds it, wherever it is named from', async () => {
    const { at, folders, offers } = await home()
    const lib = { path: join(at, 'work', 'lib'), problem: null }
    for (const path of [
      join(at, 'work/lib/src/deep/a.ts'),
      join(at, 'work/lib/src/not-yet/b.ts'),
      join(at, 'work/lib'),
      '../lib/src/deep/a.ts',
      '~/work/lib/src',
    ]) {
      expect(await offers.offer(folders, path), path).toEqual(lib)
    }
    const notes = { path: join(at, 'notes'), problem: null }
    expect(await offers.offer(folders, '~/notes/n.txt')).toEqual(notes)
    expect(await offers.offer(folders, '../../notes/new.txt')).toEqual(notes)
  })

  it('is really there: links are followed', async () => {
    const { at, root, folders, offers } = await home()
    symlinkSync(join(at, 'notes'), join(root, 'linked'))
    expect(await offers.offer(folders, 'linked/n.txt')).toEqual({ path: join(at, 'notes'), problem: null })
  })

  it('is none where the session works already, or nobody knows', async () => {
    const { at, root, folders, offers } = await home()
    expect(await offers.offer(folders, '../novel/x.txt')).toBeNull()
    expect(await offers.offer({ root, added: [join(at, 'work', 'lib')] }, '../lib/a.ts')).toBeNull()
    symlinkSync(join(at, 'nowhere'), join(at, 'work', 'broken'))
    expect(await offers.offer(folders, '../broken/x')).toBeNull()
  })

  it('is not the repository where that may not be added', async () => {
    const { at, folders, offers } = await home()
    mkdirSync(join(at, '.git'))
    expect(await offers.offer(folders, '~/notes/n.txt')).toEqual({ path: join(at, 'notes'), problem: null })
  })

  it.each([
    ['~/note.txt', 'home'],
    ['/note.txt', 'root'],
    ['/etc/passwd', 'system'],
    ['/usr/lib/x/y.js', 'system'],
    ['~/.ssh/id_rsa', 'secret'],
    ['~/data/app/tsugi.db', 'app-data'],
    ['~/data/app/checkpoints/x', 'app-data'],
    ['~/data/x.txt', 'app-data'],
  ])('%s says why its folder cannot be added: %s', async (path, problem) => {
    const { folders, offers } = await home()
    expect(await offers.offer(folders, path)).toMatchObject({ problem })
  })
})

describe('a folder that the user names', () => {
  it('is looked at as it really is', async () => {
    const { at, root, folders, offers } = await home()
    const look = (path: string) => offers.look(folders, path)
    expect(await look('~/notes')).toEqual({ path: join(at, 'notes'), problem: null })
    expect(await look('../lib/src')).toEqual({ path: join(at, 'work', 'lib', 'src'), problem: null })
    expect(await look('~/notes/n.txt')).toEqual({ path: join(at, 'notes'), problem: null })
    symlinkSync(join(at, 'notes'), join(root, 'linked'))
    expect(await look('linked')).toEqual({ path: join(at, 'notes'), problem: null })
    expect(await look('~/work')).toEqual({ path: join(at, 'work'), problem: null })
  })

  it.each([
    ['.', 'inside'],
    ['~/nowhere', 'missing'],
    ['~', 'home'],
    ['/', 'root'],
    ['/etc', 'system'],
    ['above home', 'home'],
    ['~/.ssh', 'secret'],
    ['~/data', 'app-data'],
  ])('%s is refused: %s', async (path, problem) => {
    const { at, folders, offers } = await home()
    const named = path === 'above home' ? dirname(at) : path
    expect(await offers.look(folders, named)).toMatchObject({ problem })
  })
})
