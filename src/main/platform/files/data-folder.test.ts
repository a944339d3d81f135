import { statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { tempFolder } from '../../../../tests/fakes/disks/temp-folder.ts'
import { dataFolderPath, makeDataFolder } from './data-folder.ts'

describe('the data folder', () => {
  it.each([
    ['linux', {}, '/home/u/.local/share/tsugi'],
    ['linux', { XDG_DATA_HOME: '/data' }, '/data/tsugi'],
    ['linux', { XDG_DATA_HOME: 'relative' }, '/home/u/.local/share/tsugi'],
    ['darwin', {}, '/home/u/Library/Application Support/Tsugi'],
    ['linux', { XDG_DATA_HOME: '/data', TSUGI_DATA_DIR: '/own' }, '/own'],
  ])('on %s with %j is %s', (platform, env, path) => {
    expect(dataFolderPath({ platform, env, home: '/home/u' })).toBe(path)
  })

  it('is closed to other users', async () => {
    const { root, checkpoints } = await makeDataFolder(join(tempFolder(), 'a', 'b'))
    expect(statSync(root).mode & 0o777).toBe(0o700)
    expect(statSync(checkpoints).isDirectory()).toBe(true)
  })
})
