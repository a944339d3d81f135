import { describe, expect, it } from 'vitest'
import type { ToolServer } from '../../shared/domain/app/tool-server.ts'
import { readProposals } from './proposed-servers.ts'

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
