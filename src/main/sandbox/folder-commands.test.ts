import { expect, it } from 'vitest'
import { UnlistedFolder } from './command-sandbox.ts'
import { createFolderCommands, type FolderCommandsDeps } from './folder-commands.ts'

it('a command whose folder could not be searched for secrets in time is hindered, and no bug', async () => {
  const sandbox = { begin: () => Promise.reject(new UnlistedFolder()) }
  const writableFolder = () => ({})
  const deps = { sandbox, writableFolder, noteChange: () => undefined } as unknown as FolderCommandsDeps
  const commands = createFolderCommands(deps)('/w', { id: 's', folders: () => ['/w'] })
  const command = { line: 'make', folder: '/w', timeoutMs: 1_000, isBackground: false, isReadOnly: false }
  const run = commands.execute(
    { ...command, isSandboxed: true },
    () => undefined,
    new AbortController().signal,
  )
  expect(await run).toMatchObject({
    end: 'failed-to-start',
    output: '',
    sandboxed: { commandChanges: null, hindrance: 'unlisted' },
  })
})

it('what a command wrote beyond its limit is not taken over, and the command is stopped', async () => {
  const dropped: string[] = []
  const commandChanges = { drop: async () => void dropped.push('changes') }
  const sandbox = {
    begin: async () => ({ wall: { program: 'wall', args: [] }, environment: {} }),
    watch: (_run: unknown, _place: unknown, onTooMuch: () => void) => {
      setTimeout(onTooMuch, 1)
      return { end: async () => true }
    },
    end: async () => ({ commandChanges, hindrance: null }),
    endCopy: async () => ({ effects: { files: [] }, hindrance: null }),
    remove: async () => undefined,
  }
  const run = (_: unknown, { signal }: { signal: AbortSignal }) =>
    new Promise((done) => {
      signal.addEventListener('abort', () =>
        done({ end: 'stopped', exitCode: null, output: '', failure: null }),
      )
    })
  const writableFolder = () => ({})
  const deps = {
    sandbox,
    writableFolder,
    commands: { run },
    noteChange: () => undefined,
  } as unknown as FolderCommandsDeps
  const commands = createFolderCommands(deps)('/w', { id: 's', folders: () => ['/w'] })
  const command = { line: 'make', folder: '/w', timeoutMs: 1_000, isBackground: false, isReadOnly: false }
  const play = (over?: { files: []; folders: []; gone: [] }) =>
    commands.execute(
      { ...command, isSandboxed: true, ...(over === undefined ? {} : { over }) },
      () => undefined,
      new AbortController().signal,
    )
  const size = { end: 'stopped', sandboxed: { commandChanges: null, hindrance: 'size' } }
  expect(await play()).toMatchObject(size)
  expect(dropped).toEqual(['changes'])
  expect(await play({ files: [], folders: [], gone: [] })).toMatchObject({ ...size, copy: { effects: null } })
})
