import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { PickPurpose } from '../src/shared/domain/app/host-info.ts'
import { createNativeShell, nameForWindows } from './native-shell.ts'

const secrets = {
  isEncrypted: async () => false,
  get: async () => undefined,
  set: async () => undefined,
  remove: async () => undefined,
}

const noPick = async () => null
const noNotice = () => undefined

describe('createNativeShell', () => {
  it('shows a file that is there, and says no for one that is not', async () => {
    const shown: string[] = []
    const shell = createNativeShell(
      { showItemInFolder: (path) => void shown.push(path) },
      secrets,
      noPick,
      noNotice,
    )
    expect(await shell.reveal(import.meta.filename)).toBe(true)
    expect(await shell.reveal(`${import.meta.filename}.gone`)).toBe(false)
    expect(shown).toEqual([import.meta.filename])
  })

  it('asks in the dialog that suits what is picked', async () => {
    const asked: unknown[] = []
    const pick = async (...question: unknown[]) => {
      asked.push(question)
      return '/w/rain'
    }
    const shell = createNativeShell({ showItemInFolder: () => undefined }, secrets, pick, noNotice)
    for (const purpose of PickPurpose.options) expect(await shell.pick?.(purpose, 'rain')).toBe('/w/rain')
    expect(asked).toEqual([
      ['folder', 'rain'],
      ['folder', 'rain'],
      ['new-folder', 'rain'],
      ['model', 'rain'],
      ['folder', 'rain'],
      ['new-project', 'rain'],
      ['new-file', 'rain'],
      ['new-file', 'rain'],
      ['file', 'rain'],
      ['lore', 'rain'],
      ['new-lore', 'rain'],
      ['folder', 'rain'],
    ])
  })
})

describe('nameForWindows', () => {
  it('goes by the name of the installer, on Windows alone', () => {
    const names: string[] = []
    for (const platform of ['linux', 'darwin', 'win32'] as const) {
      nameForWindows({ setAppUserModelId: (id) => void names.push(id) }, platform)
    }
    const config = readFileSync(new URL('../electron-builder.yml', import.meta.url), 'utf8')
    expect(names).toEqual([/^appId: (.+)$/m.exec(config)?.[1]])
  })
})
