import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, it } from 'vitest'

const script = fileURLToPath(new URL('vectors.ts', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'vectors-'))
afterAll(() => rmSync(folder, { recursive: true }))

function run(content: unknown): { code: number | null; output: string } {
  writeFileSync(join(folder, 'file.json'), JSON.stringify(content))
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, 'file.json'], {
    cwd: folder,
    env: { ...process.env, INIT_CWD: folder },
    encoding: 'utf8',
  })
  return { code: status, output: stdout + stderr }
}

const good = { text: '{A|B|B}', outputs: { A: 1 / 3, B: 2 / 3 } }

describe('running a vector file', () => {
  it('succeeds when every case passes', () => {
    const { code, output } = run({ about: 'x', dynamic_prompt_cases: [good] })
    expect(output).toContain('dynamic_prompt_cases: 1 of 1 pass')
    expect(code).toBe(0)
  })

  it('names failing cases, also those without an id', () => {
    const { code, output } = run({
      dynamic_prompt_cases: [good, { text: '{A}', outputs: { B: 1 } }],
      tag_input_cases: [{ id: 'W1', text: 'a', expected: { added_in_order: ['b'] } }],
      idea_cases: [{ id: 'I1', fn: 'nonsense', item: 'title' }],
    })
    expect(output).toContain('FAIL dynamic_prompt_cases[1]')
    expect(output).toContain('FAIL W1: added_in_order: wanted ["b"], got ["a"]')
    expect(output).toContain('FAIL I1')
    expect(code).toBe(1)
  })

  it('fails on unknown groups and on a file without a known case', () => {
    expect(run({ dynamic_prompt_cases: [good], riddles: [{}] })).toMatchObject({
      code: 1,
      output: expect.stringContaining('unknown group: riddles (1 cases)'),
    })
    expect(run({ dynamic_prompt_cases: [good], riddles: { cases: [] } })).toMatchObject({
      code: 1,
      output: expect.stringContaining('unknown group: riddles (no list of cases)'),
    })
    expect(run({ about: 'nothing' }).code).toBe(1)
  })

  it('names groups of prose, and does not count them', () => {
    const { code, output } = run({ dynamic_prompt_cases: [good], overlay: [{ case: 'x', want: 'y' }] })
    expect(output).toContain('overlay: 1 cases of prose for people, not run')
    expect(output).toContain('1 of 1 pass')
    expect(code).toBe(0)
  })

  it('says which call of a speculation is taken for another', () => {
    const write = {
      tool: 'edit',
      args: { path: 'a.ts' },
      mode: 'plan',
      stopAtFirstWrite: false,
      kind: 'write',
    }
    const { code, output } = run({
      toolGate: [
        { ...write, action: 'boundary' },
        { ...write, action: 'redirect' },
      ],
      pairing: [
        { name: 'lost call', input: [{ role: 'assistant', calls: ['x'] }], output: [{ role: 'user' }] },
      ],
    })
    expect(output).toContain('toolGate: 1 of 2 pass')
    expect(output).toContain('FAIL toolGate[1]: edit {"path":"a.ts"} in mode plan: action: wanted "redirect"')
    expect(output).toContain('FAIL pairing[0]: lost call')
    expect(code).toBe(1)
  })
})
