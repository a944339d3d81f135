import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { createNativeShell, nameForWindows } from './native-shell.ts'

const secrets = {
  isEncrypted: false,
  get: async () => undefined,
  set: async () => undefined,
  remove: async () => undefined,
}

describe('createNativeShell', () => {
  it('shows a file that is there, and says no for one that is not', async () => {
    const shown: string[] = []
    const shell = createNativeShell({ showItemInFolder: (path) => void shown.push(path) }, secrets)
    expect(await shell.reveal(import.meta.filename)).toBe(true)
    expect(await shell.reveal(`${import.meta.filename}.gone`)).toBe(false)
    expect(shown).toEqual([import.meta.filename])
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
