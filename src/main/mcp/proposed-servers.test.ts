import { describe, expect, it } from 'vitest'
import { AppSettings } from '../../shared/domain/app/app-settings.ts'
import type { ToolServer } from '../../shared/domain/app/tool-server.ts'
import { WorkSettings } from '../../shared/domain/work/work-settings.ts'
import { AppError } from '../../shared/errors.ts'
import { createServerProposals, readProposals } from './proposed-servers.ts'

const folder = '/projects/app'
/** A value that stands for a variable of the environment. */
const passed = (name: string): string => `\${${name}}`
const proposed = (mcpServers: Record<string, unknown>, added: ToolServer[] = []) =>
  readProposals(JSON.stringify({ mcpServers }), folder, added)

describe('the servers that a folder proposes', () => {
  it('are programs and addresses, for that folder alone', () => {
    const read = proposed({
      'My Server': { command: 'node', args: ['server.js'], env: { MODE: 'test', TOKEN: passed('TOKEN') } },
      docs: {
        type: 'http',
        url: 'https://docs.example/mcp',
        headers: { Authorization: `Bearer ${passed('KEY')}` },
      },
    })
    expect(read?.problems).toEqual([])
    expect(read?.servers).toMatchObject([
      {
        server: {
          name: 'my-server',
          isOn: true,
          transport: { kind: 'stdio', command: 'node', args: ['server.js'] },
          folder,
          keys: ['MODE'],
        },
        values: { MODE: 'test' },
        missing: [],
        isChanged: false,
      },
      {
        server: { name: 'docs', transport: { kind: 'http' }, folder },
        values: {},
        missing: ['Authorization'],
      },
    ])
  })

  it('name what no server can be made of, and say where the file is something else', () => {
    expect(proposed({ a: { args: [] }, b: 'x', c: { url: 'ftp://x' } })).toEqual({
      servers: [],
      problems: ['a', 'b', 'c'],
    })
    expect(readProposals('{', folder, [])).toBeNull()
    expect(readProposals('{"mcpServers": []}', folder, [])).toBeNull()
  })

  it('are those that are not added yet, or are no longer what was added; another one with the name keeps it', () => {
    const [first] = proposed({ a: { command: 'one' } })?.servers ?? []
    const added = first === undefined ? [] : [first.server]
    expect(proposed({ a: { command: 'one' } }, added)?.servers).toEqual([])
    expect(proposed({ a: { command: 'two' } }, added)?.servers).toMatchObject([
      { server: { name: 'a', transport: { command: 'two' } }, isChanged: true },
    ])
    const own: ToolServer = { name: 'a', isOn: true, transport: { kind: 'stdio', command: 'x', args: [] } }
    expect(proposed({ a: { command: 'one' } }, [own])?.servers).toMatchObject([{ server: { name: 'a-2' } }])
  })
})

describe('the file of a folder', () => {
  function rig(text: string | null) {
    const state = { isTrusted: true, dismissed: [] as string[] }
    const proposals = createServerProposals({
      rootOf: () => folder,
      trust: { get: () => ({ isTrusted: state.isTrusted, isAsked: true }) },
      settings: { get: () => AppSettings.parse({}) },
      workSettings: { get: () => WorkSettings.parse({ dismissedServers: state.dismissed }) },
      operationsIn: () => ({
        async read(path) {
          if (text === null) throw new AppError({ code: 'file/not-found', path })
          return { path, bytes: Buffer.from(text), hash: '' }
        },
      }),
      decode: (bytes) => Buffer.from(bytes).toString('utf8'),
    })
    return { state, proposals }
  }
  const nothing = { servers: [], problems: [], isReadable: true }

  it('is read in a trusted folder alone, without the servers that the user has dismissed', async () => {
    const { state, proposals } = rig(
      JSON.stringify({ mcpServers: { a: { command: 'a' }, b: { command: 'b' } } }),
    )
    expect(await proposals.names('work')).toEqual(['a', 'b'])
    const { servers } = await proposals.of('work')
    state.dismissed = servers.slice(0, 1).map(({ hash }) => hash)
    expect(await proposals.names('work')).toEqual(['b'])
    state.isTrusted = false
    expect(await proposals.of('work')).toEqual(nothing)
  })

  it('proposes nothing where it is missing, and is said to be unreadable where it is not JSON', async () => {
    expect(await rig(null).proposals.of('work')).toEqual(nothing)
    expect(await rig('{').proposals.of('work')).toEqual({ ...nothing, isReadable: false })
  })
})
