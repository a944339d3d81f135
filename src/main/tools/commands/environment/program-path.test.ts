import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { tempFolder } from '../../../../../tests/fakes/disks/temp-folder.ts'
import { commandRig, plainEnvironment } from '../../../../../tests/fakes/rigs/command-rig.ts'
import { findProgram, programsOutside } from './program-path.ts'

/** Writes a program with that name into a folder; it prints that it ran. */
function plant(folder: string, name: string): void {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, name), '#!/bin/sh\necho planted\n')
  chmodSync(join(folder, name), 0o755)
}

const placesOf = async (folder: string, ...places: string[]): Promise<string[]> =>
  (await programsOutside({ PATH: places.join(delimiter) }, [folder])).PATH.split(delimiter)

describe('programs for a line that runs without a question', () => {
  it('come from no place in the folder, however that is written', async () => {
    const [outer, root] = [tempFolder(), tempFolder()]
    mkdirSync(join(root, 'bin'))
    symlinkSync(join(root, 'bin'), join(outer, 'tools'))
    symlinkSync(outer, join(root, 'out'))
    const kept = [join(outer, 'bin'), `${root}-other`, '/usr/bin']
    const own = [
      ...[root, `${root}/`, join(root, 'bin'), `${root}/./bin`, `${root}/bin/../bin`, join(root, 'later')],
      ...[join(outer, 'tools'), `${outer}/tools/../bin`, join(root, 'out')],
    ]
    expect(await placesOf(root, ...own, ...kept)).toEqual(kept)
    expect(await programsOutside({}, [root])).toEqual({})
  })

  it('come from no place in any folder of the session', async () => {
    const [outer, root, added, gone] = [tempFolder(), tempFolder(), tempFolder(), join(tempFolder(), 'gone')]
    mkdirSync(join(added, 'bin'))
    symlinkSync(added, join(outer, 'library'))
    const own = [join(added, 'bin'), join(outer, 'library', 'bin'), join(gone, 'bin'), join(root, 'bin')]
    const PATH = [...own, '/usr/bin'].join(delimiter)
    const folders = [root, join(outer, 'library'), gone]
    expect((await programsOutside({ PATH }, folders)).PATH).toBe('/usr/bin')
  })

  it.skipIf(process.platform === 'win32').each(['ls', 'bash', 'cat', 'git'])(
    'are not what a folder that was added has under the name %s',
    async (name) => {
      const { cwd, run } = commandRig()
      const added = tempFolder()
      plant(join(added, 'bin'), name)
      const PATH = `${join(added, 'bin')}${delimiter}${plainEnvironment.PATH ?? ''}`
      const line = name === 'git' ? 'git --version' : 'ls /'
      const given = { environment: { ...plainEnvironment, PATH }, root: cwd, folders: [cwd, added] }
      const { output } = await run(line, { ...given, isReadOnly: true, literal: line })
      expect(output).not.toContain('planted')
      expect(output).toMatch(name === 'git' ? /^git version/ : /usr/)
    },
  )

  it.skipIf(process.platform === 'win32').each(['ls', 'bash', 'cat', 'git'])(
    'are not what a folder has under the name %s, also in a subfolder',
    async (name) => {
      const { cwd, run } = commandRig()
      const bin = join(cwd, 'bin')
      plant(bin, name)
      mkdirSync(join(cwd, 'sub'))
      const environment = { ...plainEnvironment, PATH: `${bin}${delimiter}${plainEnvironment.PATH ?? ''}` }
      const line = name === 'git' ? 'git --version' : 'ls /'
      const given = { environment, root: cwd, cwd: join(cwd, 'sub') }
      const { output } = await run(line, { ...given, isReadOnly: true, literal: line })
      expect(output).not.toContain('planted')
      expect(output).toMatch(name === 'git' ? /^git version/ : /usr/)
    },
  )
})

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
