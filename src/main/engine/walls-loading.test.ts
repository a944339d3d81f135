/** A model file that keeps the engine's process busy for ever. */
import { describe, expect, it } from 'vitest'
import { manualClock } from '../../../tests/fakes/manual-clock.ts'
import { silentLog as log } from '../../../tests/fakes/silent-log.ts'
import { AppError } from '../../shared/errors.ts'
import type { Worker } from '../deps.ts'
import { EngineProcess, type EngineProcessOptions } from './engine-process.ts'

/** A process that reads no messages and does not notice that its channel is closed; only a kill ends it. */
function deafWorker(): Worker & { sent: string[]; kills: number } {
  const { promise: exited, resolve } = Promise.withResolvers<{ code: null; signal: string }>()
  const closed: (() => void)[] = []
  const worker = {
    sent: [] as string[],
    kills: 0,
    pid: 1,
    exited,
    port: {
      send: (frame: object) => void worker.sent.push(JSON.stringify(frame)),
      onFrame: () => undefined,
      onClose: (listener: () => void) => void closed.push(listener),
      close: () => undefined,
      bufferedBytes: () => 0,
    },
    kill() {
      worker.kills += 1
      for (const listener of closed) listener()
      resolve({ code: null, signal: 'SIGKILL' })
    },
  }
  return worker
}

function engineOf(options: Partial<EngineProcessOptions> = {}) {
  const worker = deafWorker()
  const clock = manualClock()
  const engine = new EngineProcess(
    { spawnWorker: () => worker, clock, log },
    { file: '/m.gguf', contextTokens: undefined, ...options },
  )
  return { engine, worker, clock }
}

const never = new AbortController().signal

describe('an engine whose process does not end loading', () => {
  it('is killed after a while that grows with the file, and the file is named', async () => {
    const { engine, worker, clock } = engineOf({ checkFile: async () => ({ sizeBytes: 2_000_000_000 }) })
    const loading = engine.model(never).catch((error: unknown) => error)
    await new Promise(setImmediate)
    await clock.advance(200_000)
    expect(worker.kills).toBe(0)
    await clock.advance(30_000)
    expect(await loading).toMatchObject({ info: { code: 'model/bad-file', path: '/m.gguf' } })
    expect(worker.kills).toBeGreaterThan(0)
  })

  it('is killed at once where it is no longer wanted', async () => {
    const { engine, worker, clock } = engineOf({ idleUnloadMs: 1_800_000 })
    const loading = engine.model(never).catch((error: unknown) => error)
    await new Promise(setImmediate)
    await engine.dispose()
    expect(worker.kills).toBe(1)
    // The user wanted that: nothing has crashed.
    const replaced = { info: { code: 'model/replaced', modelName: 'm' } }
    expect(await loading).toMatchObject(replaced)
    await expect(engine.count([], false, never)).rejects.toMatchObject(replaced)
    // A timer for a process that is gone would keep the host from ending by itself.
    expect(clock.pending).toBe(0)
  })

  it('sees no file that its head refuses', async () => {
    const refuse = async () => {
      throw new AppError({ code: 'model/bad-file', path: '/m.gguf', reason: 'damaged' })
    }
    const { engine, worker } = engineOf({ checkFile: refuse })
    await expect(engine.model(never)).rejects.toThrow('model/bad-file')
    expect(worker.sent.some((frame) => frame.includes('engine.load'))).toBe(false)
    await engine.dispose()
    expect(worker.kills).toBeGreaterThan(0)
  })
})
