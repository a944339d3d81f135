import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { tempFolder } from '../../../tests/fakes/disks/temp-folder.ts'
import { nodeDisk } from '../platform/files/disk.ts'
import { createEtcCopies } from './etc-copy.ts'

function etcWith(files: Record<string, string>): string {
  const etc = tempFolder()
  for (const [name, text] of Object.entries(files)) writeFileSync(join(etc, name), text)
  return etc
}

describe('copies of /etc', () => {
  it('hold the named files, what links lead to, and places for folders, but no other file', async () => {
    const etc = etcWith({ hosts: 'here', shadow: 'a hash', zone: 'UTC' })
    symlinkSync(join(etc, 'zone'), join(etc, 'localtime'))
    mkdirSync(join(etc, 'fonts'))
    writeFileSync(join(etc, 'fonts', 'fonts.conf'), '')
    const { path, folders } = await createEtcCopies(nodeDisk, join(tempFolder(), 'etc'), etc)('1')
    expect(readdirSync(path).sort()).toEqual(['fonts', 'hosts', 'localtime'])
    expect(readFileSync(join(path, 'localtime'), 'utf8')).toBe('UTC')
    expect(folders).toEqual([join(etc, 'fonts')])
  })

  it('are made once, and anew where a file changed', async () => {
    const etc = etcWith({ hosts: 'here' })
    const copies = createEtcCopies(nodeDisk, join(tempFolder(), 'etc'), etc)
    const [first, same] = await Promise.all([copies('1'), copies('2')])
    expect(same.path).toBe(first.path)
    writeFileSync(join(etc, 'hosts'), 'elsewhere')
    const next = await copies('3')
    expect(readFileSync(join(next.path, 'hosts'), 'utf8')).toBe('elsewhere')
    // A command that still runs keeps its copy.
    expect(readFileSync(join(first.path, 'hosts'), 'utf8')).toBe('here')
  })

  it('of an earlier host are not used: a crash may have cut them', async () => {
    const [etc, top] = [etcWith({ hosts: 'here' }), join(tempFolder(), 'etc')]
    const { path } = await createEtcCopies(nodeDisk, top, etc)('1')
    writeFileSync(join(path, '..', 'left-over'), '')
    await createEtcCopies(nodeDisk, top, etc)('2')
    expect(readdirSync(top)).toHaveLength(1)
  })
})
