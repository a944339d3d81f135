import { describe, expect, it } from 'vitest'
import { type ToolRig, toolRig } from '../../../tests/fakes/rigs/tool-rig.ts'
import { seededRandom } from '../../../tests/fakes/seeded-random.ts'
import { sampleGrammar } from '../../../tests/fakes/servers/gbnf-sample.ts'
import { ToolName } from '../../shared/domain/session/tool-name.ts'
import { grammarOf } from '../models/completion/json-schema-grammar.ts'
import type { CallSchemaOptions } from './create-toolbox.ts'

type Call = { tool: string; args: Record<string, unknown> }

/** Returns calls of a model that is constrained by the grammar alone. */
async function sampled(rig: ToolRig, samples: number, options?: CallSchemaOptions): Promise<Call[][]> {
  const grammar = grammarOf(await rig.toolbox.callSchema(options))
  return Array.from({ length: samples }, (_, seed) => {
    const text = sampleGrammar(grammar, seededRandom(seed + 1))
    if (text === null) throw new Error('no grammar')
    return (JSON.parse(text) as { calls: Call[] }).calls
  })
}

describe('the schema of calls', () => {
  it('lets only calls through that their tools take', async () => {
    const rig = await toolRig()
    rig.write('src/a.ts', 'const a = 1\nconst b = 2\n\nexport { a }\n')
    rig.write('notes.md', '# Notes\n')
    await rig.run('read_file', { path: 'src/a.ts' })
    const seen = new Set<string>()
    for (const calls of await sampled(rig, 400)) {
      expect(calls.length).toBeLessThanOrEqual(4)
      for (const { tool, args } of calls) {
        const [read] = await rig.prepare([tool, args])
        seen.add(tool)
        // A call may still fail for a folder or file that does not exist, but not for its form.
        if (read?.kind === 'invalid') expect(read.reason, JSON.stringify(args)).not.toContain('do not fit')
      }
    }
    // Tools of added servers, and changes of the course, are for models that call tools by themselves.
    const others = ['mcp', 'update_course']
    expect([...seen].sort()).toEqual(ToolName.options.filter((name) => !others.includes(name)).sort())
  })

  it('names only paths and lines that exist, so that every edit has its one place', async () => {
    const rig = await toolRig()
    rig.write('a.txt', 'one\n  two "quoted"\ntwice\ntwice\n\n')
    rig.write('never-read.txt', 'x\n')
    await rig.run('read_file', { path: 'a.txt' })
    const calls = (await sampled(rig, 60, { tools: ['edit'] })).flat()
    expect(calls.length).toBeGreaterThan(30)
    for (const { args } of calls) {
      expect(args.path).toBe('a.txt')
      expect(['one', '  two "quoted"']).toContain((args.edits as { old_text: string }[])[0]?.old_text)
      const [read] = await rig.prepare(['edit', args])
      if (read?.kind === 'invalid') expect(read.reason).toMatch(/as it is|lacks these|NUL/)
    }
    const reads = (await sampled(rig, 30, { tools: ['read_file'] })).flat()
    expect(new Set(reads.map(({ args }) => args.path))).toEqual(new Set(['a.txt', 'never-read.txt']))
  })

  it('has only the tools of the step, and no edit before something was read', async () => {
    const rig = await toolRig()
    rig.write('a.txt', 'one\n')
    const calls = (await sampled(rig, 40, { tools: ['edit', 'glob'], most: 2 })).flat()
    expect(new Set(calls.map(({ tool }) => tool))).toEqual(new Set(['glob']))
    const none = await sampled(rig, 3, { tools: ['edit'] })
    expect(none).toEqual([[], [], []])
  })

  it('leaves paths free where there are many files', async () => {
    const rig = await toolRig()
    for (let at = 0; at < 60; at++) rig.write(`f${at}.txt`, '')
    const schema = JSON.stringify(await rig.toolbox.callSchema())
    expect(schema).not.toContain('f1.txt')
  })

  it('stays small', async () => {
    const rig = await toolRig()
    const empty = grammarOf(await rig.toolbox.callSchema())
    expect(empty.length).toBeLessThan(8_000)
    for (let at = 0; at < 50; at++)
      rig.write(`folder/file-number-${at}.ts`, `const value${at} = ${at}\n`.repeat(1))
    for (let at = 0; at < 50; at++) await rig.run('read_file', { path: `folder/file-number-${at}.ts` })
    const full = grammarOf(await rig.toolbox.callSchema())
    expect(full).toContain('const value49')
    expect(full.length).toBeLessThan(40_000)
  })
})
