import { describe, expect, it } from 'vitest'
import { commandBench } from '../../../../tests/fakes/command-bench.ts'
import { readOnlyLimits } from './command-timeouts.ts'

describe.skipIf(process.platform === 'win32')('a line that only reads', { timeout: 60_000 }, () => {
  it('is stopped when it has said too much', async () => {
    const { run } = commandBench()
    const line = `awk 'BEGIN { while (1) print "${'x'.repeat(1000)}" }'`
    const { end, totalBytes } = await run(line, { isReadOnly: true, literal: line })
    expect(end).toBe('stopped')
    expect(totalBytes).toBeGreaterThan(readOnlyLimits.outputBytes)
  })

  it('runs as its patterns were written out, and not at all where they were not', async () => {
    const { run } = commandBench()
    const literal = `echo 'a b' "$0"`
    expect(await run('echo *', { isReadOnly: true, literal })).toMatchObject({ end: 'exited', exitCode: 0 })
    expect(await run('echo *', { isReadOnly: true, literal: 'echo *' })).toMatchObject({
      end: 'failed-to-start',
      failure: { code: 'command/not-read-only' },
    })
    const held = "true '*'; echo $_"
    expect((await run(held, { isReadOnly: true, literal: held })).output).toBe('*\n')
  })
})
