import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { eventually } from '../../fakes/eventually.ts'
import { calls, justAnswer, readAndPlan } from '../../fakes/sessions/scripted-mind.ts'
import { scriptedHost } from '../../fakes/sessions/session-host.ts'

const server = (end: string) => `echo listening; while [ -e wait ]; do sleep 0.05; done; ${end}`

/** A session that has left `line` running until the file `wait` is gone. */
async function serving(line: string) {
  const start = calls(['run_command', { line, reason: 'asked for', background: true }])
  const thoughts = [...readAndPlan('wait'), start, ...justAnswer('It runs.')]
  const session = await scriptedHost(thoughts, { files: { wait: 'x\n' } })
  await session.say('start the server')
  await session.rest()
  await session.approveAll()
  return session
}

async function commandOf({ items }: Pick<Awaited<ReturnType<typeof serving>>, 'items'>) {
  return (await items()).flatMap((item) =>
    item.kind === 'call' && item.view?.kind === 'command' ? item.view : [],
  )[0]
}

describe.skipIf(process.platform === 'win32')('a server that a session left running', () => {
  it('reads as ended once it has ended by itself, and in a session that is opened later', async () => {
    const session = await serving(server('exit 3'))
    expect(await commandOf(session)).toMatchObject({ end: 'background' })
    expect(await commandOf(session)).not.toHaveProperty('ended')
    rmSync(join(session.root, 'wait'))
    await eventually(async () =>
      expect(await commandOf(session)).toMatchObject({ ended: { end: 'exited', exitCode: 3 } }),
    )
    const later = await session.restart()
    expect(await commandOf(later)).toMatchObject({ ended: { end: 'exited', exitCode: 3 } })
    await later.close()
    expect(session.bugs).toEqual([])
  })

  it('reads as stopped after the host that ran it is gone', async () => {
    const session = await serving(server('exit 0'))
    const later = await session.restart()
    expect(await commandOf(later)).toMatchObject({ ended: { end: 'stopped' } })
    await later.close()
    expect(session.bugs).toEqual([])
  })
})
