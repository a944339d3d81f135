import { rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { gateRig } from '../../../tests/fakes/rigs/gate-rig.ts'

const reason = 'because'

describe('consent without a question, when its call has waited', () => {
  it('holds where nothing has changed', async () => {
    const { tools, gates, context, audit } = await gateRig({ mode: 'full' })
    const call = await tools.call('write_file', { path: 'a.md', content: 'a\n', reason })
    expect((await gates.ask(context, [call], '')).records).toHaveLength(1)
    expect(await gates.revalidate(context, call)).toBeNull()
    expect(audit()).toHaveLength(1)
  })

  it('is gone with the mode that gave it, and says so in the audit log', async () => {
    const { tools, gates, context, audit } = await gateRig({ mode: 'full' })
    const call = await tools.call('write_file', { path: 'a.md', content: 'a\n', reason })
    await gates.ask(context, [call], '')
    expect(await gates.revalidate({ ...context, mode: 'ask' }, call)).toBe('')
    expect(await gates.revalidate({ ...context, mode: 'plan' }, call)).toMatch(/plan/i)
    expect(audit().map(({ verdict }) => verdict)).toEqual(['denied', 'void', 'granted'])
  })

  it('is gone with the trust in the folder', async () => {
    const { tools, gates, trust, context } = await gateRig({ mode: 'full' })
    const call = await tools.call('run_command', { line: 'touch x', reason })
    expect((await gates.ask(context, [call], '')).records).toHaveLength(1)
    trust.set(context.root, false)
    expect(await gates.revalidate(context, call)).not.toBeNull()
  })

  it('is gone where a command would read a secret by now', async () => {
    const { tools, gates, context } = await gateRig()
    tools.write('.env', 'KEY=1\n')
    tools.write('plain.txt', 'plain\n')
    const call = await tools.call('run_command', { line: 'cat plain.txt', reason })
    expect((await gates.ask(context, [call], '')).records).toHaveLength(1)
    rmSync(join(tools.root, 'plain.txt'))
    symlinkSync('.env', join(tools.root, 'plain.txt'))
    expect(await gates.revalidate(context, call)).toBe('')
  })
})
