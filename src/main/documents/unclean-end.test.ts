import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { tempFolder } from '../../../tests/fakes/disks/temp-folder.ts'
import { watchMachine } from '../../../tests/fakes/machine-delay.ts'
import { documentRig } from '../../../tests/fakes/rigs/document-rig.ts'

const victim = join(import.meta.dirname, '../../../tests/fakes/victims/typing-victim.ts')

/** Maximum lifetime of a host that is to be killed. */
const mostMs = 10_000

describe('a host that is killed while its author types', () => {
  it.each([1_300, 1_750, 2_200])(
    'after %i ms: loses at most the last second and leaves a whole file',
    async (lifeMs) => {
      const [dataDir, root] = [tempFolder(), tempFolder()]
      const path = join(root, 'a.txt')
      writeFileSync(path, '本文\n')
      const child = spawn(process.execPath, [victim, dataDir, root], { stdio: ['ignore', 'pipe', 'inherit'] })
      const accepted: { count: number; at: number }[] = []
      child.stdout.on('data', (data: Buffer) => {
        const count = Number(data.toString().trim().split('\n').at(-1))
        accepted.push({ count, at: Date.now() })
      })
      await once(child.stdout, 'data')
      const machine = watchMachine()
      const beganAt = Date.now()
      // A slow machine gets more time, so that some text must have been saved.
      const isOver = () => Date.now() > beganAt + Math.min(mostMs, lifeMs + machine.since(beganAt))
      while (!isOver()) await new Promise((done) => setTimeout(done, 10))
      const killedAt = Date.now()
      const lateMs = machine.since(beganAt)
      child.kill('SIGKILL')
      await Promise.all([once(child, 'exit'), machine.stop()])

      const text = readFileSync(path, 'utf8')
      expect(text).toMatch(/^本文\nあ*$/)
      const mustBeThere = accepted.filter(({ at }) => at <= killedAt - 1_000 - lateMs).at(-1)?.count ?? 0
      if (killedAt < beganAt + mostMs) expect(mustBeThere).toBeGreaterThan(0)
      expect(text.length - 3).toBeGreaterThanOrEqual(mustBeThere)

      const { store, service } = documentRig({ dataDir, root })
      expect(store.unsaved.takeLeftovers()).toMatchObject([{ file: path, savedAt: expect.any(Number) }])
      expect((await service.read({ root, path: 'a.txt' })).text).toBe(text)
    },
  )
})
