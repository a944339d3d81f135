/** A host that is killed during a speculation leaves nothing behind once the next one has started. */
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { systemRandom } from '../../../src/main/platform/random.ts'
import { tempFolder } from '../../fakes/disks/temp-folder.ts'
import { overlaysAt } from '../../fakes/rigs/overlay-parts.ts'
import { childProgram } from '../../fakes/victims/child-program.ts'

const victim = await childProgram('overlay-victim')
/** Every step in the long series, else some: while files are made, written, named again, removed. */
const isSoak = process.env.TSUGI_SOAK !== undefined
const steps = isSoak ? Array.from({ length: 60 }, (_, index) => index + 1) : [3, 5, 8, 14]

describe('a host that is killed', () => {
  it('touches no file of the folder, and its private ones are swept', async () => {
    const found: number[] = []
    for (const step of steps) {
      const [root, dataDir, hostId] = [tempFolder(), tempFolder(), systemRandom.id()]
      writeFileSync(join(root, 'a.txt'), 'old')
      const args = [victim, dataDir, root, hostId, String(step)]
      const child = spawnSync(process.execPath, args, { encoding: 'utf8' })
      expect(child.stderr).toBe('')
      if (child.signal === null) break
      expect(child.signal).toBe('SIGKILL')
      const left = join(dataDir, 'overlays', hostId)
      found.push(existsSync(left) ? readdirSync(left, { recursive: true }).length : 0)
      await overlaysAt({ dataDir, hostId: systemRandom.id() }).sweep()
      expect(readdirSync(join(dataDir, 'overlays'))).toEqual([])
      expect(readdirSync(root)).toEqual(['a.txt'])
      expect(readFileSync(join(root, 'a.txt'), 'utf8')).toBe('old')
    }
    expect(found.length).toBeGreaterThanOrEqual(4)
    expect(Math.max(...found)).toBeGreaterThan(3)
  })
})
