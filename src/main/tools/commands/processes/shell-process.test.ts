import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { sandboxHere } from '../../../../../tests/fakes/real-sandbox.ts'
import { tempFolder } from '../../../../../tests/fakes/temp-folder.ts'
import { startShell } from './shell-process.ts'

const here = await sandboxHere()
/** A sandbox whose processes all end with its first one. */
const wall = {
  program: 'unshare',
  args: ['--user', '--map-root-user', '--pid', '--fork', '--kill-child', '--mount-proc'],
}

/** Returns the output of a line, read through a slow joiner, as on a busy machine. */
async function said(line: string): Promise<{ text: string; code: number | null }> {
  const joiner = join(tempFolder(), 'slow-cat')
  writeFileSync(joiner, '#!/bin/sh\nsleep 0.2\nexec cat\n')
  chmodSync(joiner, 0o755)
  const env = { PATH: process.env.PATH ?? '' }
  const child = await startShell({ shell: '/bin/bash', joiner, line, cwd: '/', env, wall })
  let text = ''
  child.output.on('data', (chunk: Buffer) => {
    text += chunk.toString()
  })
  const [{ code }] = await Promise.all([child.exited, child.closed])
  return { text, code }
}

describe.skipIf(here.kind === 'none')('a shell behind a wall', () => {
  it('is heard to its last word, in order, and ends with its own code', async () => {
    const line = 'echo one; echo two >&2; echo three > /dev/stdout; exit 3'
    expect(await said(line)).toEqual({ text: 'one\ntwo\nthree\n', code: 3 })
  })

  it('does not wait for what the line left running', async () => {
    const from = performance.now()
    expect(await said('sleep 60 & echo left')).toEqual({ text: 'left\n', code: 0 })
    expect(performance.now() - from).toBeLessThan(30_000)
  })
})
