import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { documentBench } from '../../../tests/fakes/document-bench.ts'
import { tempFolder } from '../../../tests/fakes/temp-folder.ts'

const victim = join(import.meta.dirname, '../../../tests/fakes/typing-victim.ts')

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
      await new Promise((done) => setTimeout(done, lifeMs))
      const killedAt = Date.now()
      child.kill('SIGKILL')
      await once(child, 'exit')

      const text = readFileSync(path, 'utf8')
      expect(text).toMatch(/^本文\nあ*$/)
      const mustBeThere = accepted.filter(({ at }) => at <= killedAt - 1_000).at(-1)?.count ?? 0
      expect(mustBeThere).toBeGreaterThan(0)
      expect(text.length - 3).toBeGreaterThanOrEqual(mustBeThere)

      const { store, service } = documentBench({ dataDir, root })
      expect(store.unsaved.takeLeftovers()).toMatchObject([{ file: path, savedAt: expect.any(Number) }])
      expect((await service.read({ root, path: 'a.txt' })).text).toBe(text)
    },
  )
})
