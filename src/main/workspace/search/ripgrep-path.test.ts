import { existsSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { ripgrepPath } from './ripgrep-path.ts'

describe('ripgrepPath', () => {
  it('is a program that is there', () => {
    expect(existsSync(ripgrepPath())).toBe(true)
  })

  it('lies beside the archive of a packed app', () => {
    const packed = '/opt/Tsugi/resources/app.asar/node_modules/@vscode/ripgrep-linux-x64/bin/rg'
    expect(ripgrepPath(packed)).toBe(packed.replace('app.asar', 'app.asar.unpacked'))
    expect(ripgrepPath(ripgrepPath(packed))).toBe(ripgrepPath(packed))
    expect(ripgrepPath('C:\\Tsugi\\app.asar\\bin\\rg.exe')).toBe('C:\\Tsugi\\app.asar.unpacked\\bin\\rg.exe')
  })
})
