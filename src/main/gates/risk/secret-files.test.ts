import { linkSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { tempFolder } from '../../../../tests/fakes/disks/temp-folder.ts'
import { gateData } from '../../../../tests/fakes/rigs/gate-rig.ts'
import { nodeDisk } from '../../platform/files/disk.ts'
import { secretFiles } from './folder-assessment.ts'

const { kinds } = await gateData()

describe('the secret files of a folder', () => {
  it('are known by name, under another name, and by a key in what git keeps', async () => {
    const root = tempFolder()
    for (const folder of ['deep', '.git']) mkdirSync(join(root, folder))
    writeFileSync(join(root, 'deep/.env'), 'A=1\n')
    writeFileSync(join(root, 'plain.txt'), 'x\n')
    linkSync(join(root, 'deep/.env'), join(root, 'other.txt'))
    linkSync(join(root, 'plain.txt'), join(root, 'twice.txt'))
    writeFileSync(join(root, '.git/config'), '[remote "o"]\n\turl = https://a:b@example.com/x.git\n')
    const isSecret = secretFiles(nodeDisk, kinds, root)
    for (const path of ['deep/.env', 'other.txt', join(root, 'other.txt'), '.git/config']) {
      expect([path, await isSecret(path)]).toEqual([path, true])
    }
    for (const path of ['plain.txt', 'twice.txt', 'none.txt', '.']) {
      expect([path, await isSecret(path)]).toEqual([path, false])
    }
    writeFileSync(join(root, '.git/config'), '[core]\n\tbare = false\n')
    expect(await isSecret('.git/config')).toBe(false)
  })
})
