import { execFileSync } from 'node:child_process'
import { linkSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { expect, it } from 'vitest'
import { tempFolder } from '../../tests/fakes/temp-folder.ts'
import { readGateData } from './gates/gate-data.ts'
import { nodeDisk } from './platform/files/disk.ts'
import { secretsIn } from './session-sandbox.ts'

const resourcesDir = resolve(import.meta.dirname, '../../resources')

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
  expect((await secretsIn(nodeDisk, kinds, root)).sort()).toEqual([
    '.env',
    '.git/modules/x/config',
    'notes.txt',
    'sub/.git/config',
  ])
})
