/** The row of a tool describes its behaviour: consent, rules and the path attacks are derived from the rows. */
import { describe, expect, it } from 'vitest'
import type { ToolOperations } from '../../../src/main/tools/tool-operations.ts'
import { ToolName, takesPaths, toolTraits } from '../../../src/shared/domain/session/tool-name.ts'
import { runCall, type ToolRig, toolRig } from '../../fakes/rigs/tool-rig.ts'
import { callArgs, placesOf, textArgs } from '../../fakes/sample-calls.ts'

/** Creates a rig that records every text that is used as a path. */
async function notingRig(): Promise<{ rig: ToolRig; seen: string[] }> {
  const seen: string[] = []
  const noting =
    <Args extends unknown[], Result>(
      operation: (...args: Args) => Promise<Result>,
      placesIn: (...args: Args) => string[],
    ) =>
    (...args: Args): Promise<Result> => {
      seen.push(...placesIn(...args))
      return operation(...args)
    }
  const wrap = (operations: ToolOperations): ToolOperations => ({
    ...operations,
    locate: noting(operations.locate, (path) => [path]),
    read: noting(operations.read, (path) => [path]),
    list: noting(operations.list, (path) => [path]),
    glob: noting(operations.glob, (pattern) => [pattern]),
    grep: noting(operations.grep, ({ path, glob }) => [path, glob ?? '']),
    apply: noting(operations.apply, (changes) =>
      changes.flatMap((one) => (one.kind === 'move' ? [one.path, one.to] : [one.path])),
    ),
    execute: noting(operations.execute, ({ folder }) => [folder]),
  })
  return { rig: await toolRig({ wrap }), seen }
}

/** The tools of added servers are called by names of their own. */
function calledAs(name: ToolName): string {
  return name === 'mcp' ? 'mcp__any__because' : name
}

describe('the row of a tool', () => {
  it.each(ToolName.options)('names every argument of %s that is used as a place', async (name) => {
    const { rig, seen } = await notingRig()
    rig.write('sub/mine.txt', 'mine\n')
    const marks = Object.fromEntries(textArgs(name).map((key) => [key, `mark-${key.replaceAll('_', '-')}`]))
    for (const mark of Object.values(marks)) rig.write(mark, 'mine\n')
    await rig.run('read_file', { path: marks.path ?? 'sub/mine.txt' })
    // Marks each argument alone, and all together, since some arguments are used only with others.
    for (const given of [...Object.entries(marks).map(([key, mark]) => ({ [key]: mark })), marks]) {
      rig.write('mine.txt', 'mine\n')
      const [read] = await rig.prepare([name, callArgs(name, given)])
      if (read?.kind === 'world') await runCall(read.call)
    }
    const used = Object.keys(marks).filter((key) => seen.some((path) => path.includes(marks[key] ?? '')))
    expect(used.sort()).toEqual(
      placesOf(name)
        .map(([place]) => place)
        .sort(),
    )
  })

  it.each(ToolName.options)('says what a call of %s may do, and the call says the same', async (name) => {
    const { rig } = await notingRig()
    rig.write('mine.txt', 'mine\n')
    rig.write('sub/in.txt', 'mine\n')
    await rig.run('read_file', { path: 'mine.txt' })
    const known = name === 'write_file' ? { path: 'new.txt' } : {}
    const called = calledAs(name)
    const [read] = await rig.prepare([called, callArgs(name, known)])
    const { access, notesRead } = toolTraits[name]
    if (access === 'session' && read?.kind === 'session') return
    if (read?.kind !== 'world') throw new Error(`${name} was not prepared: ${JSON.stringify(read)}`)
    const { call } = read
    expect(call.tool).toBe(name)
    const accesses = {
      read: 'read',
      session: 'read',
      write: 'write',
      run: 'execute',
      web: 'read',
      service: 'execute',
    } as const
    expect(call.access).toBe(accesses[access])
    const kinds = {
      read: 'read',
      session: 'read',
      write: 'change',
      run: 'command',
      web: 'outside',
      service: 'outside',
    } as const
    expect(call.facts.kind).toBe(kinds[access])
    // A reading call that rules could forbid names its places.
    if (call.facts.kind === 'read') expect(call.facts.paths.length > 0).toBe(takesPaths(name))
    else expect(takesPaths(name)).toBe(call.facts.kind !== 'outside')
    const isNoted = () => rig.ledger.filesInUse().some(({ path }) => path === 'sub/in.txt')
    const before = isNoted()
    const again = await rig.call(
      called,
      callArgs(name, { ...known, ...(notesRead ? { path: 'sub/in.txt' } : {}) }),
    )
    await runCall(again)
    expect([before, isNoted()]).toEqual([false, notesRead === true])
  })
})
