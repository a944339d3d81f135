import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { systemClock } from '../platform/clock.ts'
import { nodeDisk } from '../platform/files/disk.ts'
import { fetchStarter } from './fetch-starter.ts'
import { chooseStarter, readStarterCatalogue } from './starter-catalogue.ts'

const catalogue = await readStarterCatalogue(path.join(import.meta.dirname, '../../../resources'))

describe('the catalogue that ships', () => {
  it('says "English only" wherever a model writes nothing else', () => {
    for (const entry of catalogue) {
      expect(/English only/.test(entry.name)).toBe(entry.languages.join() === 'en')
    }
  })

  it.each([
    [null, 'ja-JP', 'gemma3-270m'],
    [null, 'en-GB', 'smollm2-135m'],
    [null, 'C', 'smollm2-135m'],
    ['gemma3-270m', 'en-GB', 'gemma3-270m'],
    ['smollm2-135m', 'ja', 'smollm2-135m'],
    ['other', 'en', undefined],
  ])('asked %s on a system in %s: %s', (asked, locale, wanted) => {
    expect(chooseStarter(catalogue, asked, locale)?.starterId).toBe(wanted)
  })

  it('makes the user accept terms exactly where the licence is not a free one', () => {
    for (const entry of catalogue) expect(entry.termsId === null).toBe(entry.licence === 'Apache-2.0')
  })
})

// Goes online and fetches 340 MB: `npm run soak -- starter`.
describe.runIf(process.env.TSUGI_SOAK)('the real download', () => {
  it.each(catalogue)('of $name arrives whole, with progress', async (entry) => {
    const modelsDir = mkdtempSync(path.join(tmpdir(), 'starter-real-'))
    const fetched: number[] = []
    try {
      const file = await fetchStarter(
        entry,
        {
          machine: { platform: process.platform, env: process.env, isRoot: false },
          clock: systemClock,
          modelsDir,
          hostId: 'soak',
          mayInstallPip: false,
          onProgress: ({ state, receivedBytes }) => {
            if (state === 'fetching') fetched.push(receivedBytes)
          },
          freeBytes: nodeDisk.freeBytes,
        },
        AbortSignal.timeout(1_800_000),
      )
      expect(createHash('sha256').update(readFileSync(file)).digest('hex')).toBe(entry.sha256)
      expect(readFileSync(file)).toHaveLength(entry.sizeBytes)
      expect(Math.max(...fetched)).toBeGreaterThan(0)
      expect(Math.max(...fetched)).toBeLessThanOrEqual(entry.downloadBytes)
    } finally {
      rmSync(modelsDir, { recursive: true })
    }
  })
})
