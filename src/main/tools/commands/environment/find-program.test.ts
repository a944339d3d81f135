import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { tempFolder } from '../../../../../tests/fakes/temp-folder.ts'
import { findProgram } from './find-program.ts'

describe('finding a program', () => {
  it('takes the first that can be run', async () => {
    const [folder, plain, linked, good] = [tempFolder(), tempFolder(), tempFolder(), tempFolder()]
    mkdirSync(join(folder, 'bash'))
    writeFileSync(join(plain, 'bash'), '', { mode: 0o644 })
    symlinkSync('nowhere', join(linked, 'bash'))
    writeFileSync(join(good, 'bash'), '', { mode: 0o755 })
    const places = ['', '.', 'bin', '/nowhere', folder, plain, linked, good]
    expect(await findProgram('bash', { PATH: places.join(delimiter) }, 'linux')).toBe(join(good, 'bash'))
    expect(await findProgram('bash', { PATH: places.slice(0, -1).join(delimiter) }, 'linux')).toBeNull()
    expect(await findProgram('bash', {}, 'linux')).toBeNull()
  })

  it('passes over the one of Windows that starts another Linux', async () => {
    const root = tempFolder()
    const places = ['System32', 'WindowsApps', 'Git'].map((name) => join(root, name))
    for (const place of places) {
      mkdirSync(place)
      writeFileSync(join(place, 'bash.exe'), '', { mode: 0o755 })
    }
    const environment = { Path: places.join(delimiter) }
    expect(await findProgram('bash', environment, 'win32')).toBe(join(root, 'Git', 'bash.exe'))
  })
})
