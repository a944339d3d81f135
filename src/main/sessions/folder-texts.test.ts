import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { toolRig } from '../../../tests/fakes/rigs/tool-rig.ts'
import { projectInstructions } from './folder-texts.ts'

const decode = (bytes: Uint8Array): string => Buffer.from(bytes).toString('utf8')
const isFree = (path: string): boolean => path !== '.env'

describe('a project’s own instructions', () => {
  it('are those of both files, each once', async () => {
    const { operations, write, root } = await toolRig()
    expect(await projectInstructions(operations, decode, isFree)).toBeNull()
    write('AGENTS.md', 'be kind\n')
    symlinkSync('AGENTS.md', join(root, 'CLAUDE.md'))
    expect(await projectInstructions(operations, decode, isFree)).toBe('be kind\n')
  })

  it('are no secret that a link of that name leads to', async () => {
    const { operations, write, root } = await toolRig()
    write('.env', 'KEY=1\n')
    symlinkSync('.env', join(root, 'AGENTS.md'))
    expect(await projectInstructions(operations, decode, isFree)).toBeNull()
  })
})
