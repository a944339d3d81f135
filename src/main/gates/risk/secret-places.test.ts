import { execFileSync } from 'node:child_process'
import { linkSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { expect, it } from 'vitest'
import { diskWith, systemError } from '../../../../tests/fakes/disks/failing-disk.ts'
import { tempFolder } from '../../../../tests/fakes/disks/temp-folder.ts'
import { nodeDisk } from '../../platform/files/disk.ts'
import { readGateData } from '../gate-data.ts'
import { isAskedAnywhere } from './file-kinds.ts'
import { secretsIn } from './secret-places.ts'

const resourcesDir = resolve(import.meta.dirname, '../../../../resources')

it('asks about package scripts in ignored folders as about other files that decide what runs', async () => {
  const { kinds } = await readGateData(resourcesDir)
  const asked = ['tools/package.json', 'tools/deno.json', 'out/.env', 'out/AGENTS.md', 'out/main.js'].map(
    (path) => isAskedAnywhere(kinds, path),
  )
  expect(asked).toEqual([true, true, true, true, false])
})

it('hides secrets under each of their names, and keys that Git keeps anywhere in the folder', async () => {
  const root = tempFolder()
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  write('.env', 'KEY=1')
  write('a.txt', 'a')
  linkSync(join(root, '.env'), join(root, 'notes.txt'))
  linkSync(join(root, 'a.txt'), join(root, 'same.txt'))
  symlinkSync('.env', join(root, 'link'))
  execFileSync('git', ['init', '-q', join(root, 'sub')])
  const key = `ghp_${'a1B2'.repeat(9)}`
  write('sub/.git/config', `[remote "origin"]\n url = https://me:${key}@example.com/a.git\n`)
  write('.git/modules/x/config', `[remote "origin"]\n url = https://me:${key}@example.com/b.git\n`)
  const { kinds } = await readGateData(resourcesDir)
  expect((await secretsIn(nodeDisk, kinds, root))?.files.sort()).toEqual([
    '.env',
    '.git/modules/x/config',
    'notes.txt',
    'sub/.git/config',
  ])
})

it('hides what a link with the name of a secret leads to, where that lies in the folder', async () => {
  const [root, outside] = [tempFolder(), tempFolder()]
  for (const folder of ['conf', 'app/deep', 'node_modules/a'])
    mkdirSync(join(root, folder), { recursive: true })
  for (const path of ['conf/local', 'conf/other', 'conf/plain']) writeFileSync(join(root, path), 'KEY=1')
  writeFileSync(join(outside, 'far'), 'KEY=1')
  const link = (path: string, target: string): void => symlinkSync(target, join(root, path))
  link('.env', 'conf/local')
  link('app/deep/.env', '../../conf/other')
  link('plain', 'conf/plain')
  link('app/.env', join(outside, 'far'))
  link('conf/.env', 'nothing')
  link('node_modules/a/.env', '../../conf/plain')
  const { kinds } = await readGateData(resourcesDir)
  expect((await secretsIn(nodeDisk, kinds, root))?.files.sort()).toEqual(['conf/local', 'conf/other'])
})

it('hides secrets in ignored folders and in any case, and not those of dependencies or of Git’s objects', async () => {
  const root = tempFolder()
  for (const path of [
    'build/.env',
    'Deep/.ENV',
    'node_modules/a/.env',
    '.git/objects/ab/.env',
    'objects/.env',
  ]) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), 'KEY=1')
  }
  writeFileSync(join(root, '.gitignore'), 'build/\n')
  const { kinds } = await readGateData(resourcesDir)
  expect((await secretsIn(nodeDisk, kinds, root))?.files.sort()).toEqual([
    'Deep/.ENV',
    'build/.env',
    'objects/.env',
  ])
})

it('hides a folder that cannot be listed, since a command could open it in its copy', async () => {
  const root = tempFolder()
  mkdirSync(join(root, 'a/closed'), { recursive: true })
  const disk = diskWith({
    async list(folder) {
      if (folder === join(root, 'a/closed')) throw systemError('EACCES')
      return nodeDisk.list(folder)
    },
  })
  const { kinds } = await readGateData(resourcesDir)
  expect(await secretsIn(disk, kinds, root)).toEqual({ files: [], folders: ['a/closed'] })
})

it('finds a secret that was added since the last look, and a key in a folder that lies in one of Git’s own', async () => {
  const { kinds } = await readGateData(resourcesDir)
  const root = join(tempFolder(), '.git/modules')
  mkdirSync(join(root, 'x'), { recursive: true })
  writeFileSync(join(root, 'x/config'), '')
  writeFileSync(join(root, 'x/notes'), '')
  expect((await secretsIn(nodeDisk, kinds, root))?.files).toEqual([])
  writeFileSync(
    join(root, 'x/config'),
    `[remote "origin"]\n url = https://me:ghp_${'a1B2'.repeat(9)}@example.com/a.git\n`,
  )
  writeFileSync(join(root, 'x/.env'), 'KEY=1')
  linkSync(join(root, 'x/.env'), join(root, 'x/same'))
  expect((await secretsIn(nodeDisk, kinds, root))?.files.sort()).toEqual(['x/.env', 'x/config', 'x/same'])
})
