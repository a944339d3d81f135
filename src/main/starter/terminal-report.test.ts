import { describe, expect, it } from 'vitest'
import type { StarterStatus } from '../../shared/domain/model/model-catalogue.ts'
import { createTranslate } from '../../shared/i18n/translate.ts'
import { reportStarter } from './terminal-report.ts'

const english = { t: createTranslate('en'), language: 'en' } as const
const base: StarterStatus = {
  models: [
    {
      starterId: 'small',
      name: 'Small (English only)',
      sizeBytes: 98_362_432,
      languages: ['en'],
      licence: 'Apache-2.0',
      termsId: null,
    },
  ],
  state: 'idle',
  starterId: 'small',
  receivedBytes: 0,
  totalBytes: 92_871_040,
  error: null,
}

async function report(statuses: Partial<StarterStatus>[], isTTY: boolean): Promise<string> {
  let written = ''
  const terminal = {
    isTTY,
    write: (text: string) => {
      written += text
    },
  }
  async function* all(): AsyncGenerator<StarterStatus> {
    for (const status of statuses) yield { ...base, ...status }
  }
  await reportStarter(all(), terminal, english)
  return written
}

describe('reportStarter', () => {
  const course: Partial<StarterStatus>[] = [
    { state: 'idle' },
    { state: 'fetching' },
    { state: 'fetching', receivedBytes: 9_000_000 },
    { state: 'fetching', receivedBytes: 46_000_000 },
    { state: 'ready' },
  ]

  it('rewrites one line on a terminal', async () => {
    const text = await report(course, true)
    expect(text.split('\n')).toHaveLength(3)
    expect(text.split('\r\u001b[K')).toHaveLength(4)
    expect(text).toContain('46 MB')
  })

  it('says little in a log: no line for each step, and no control characters', async () => {
    const lines = (await report(course, false)).trimEnd().split('\n')
    expect(lines).toHaveLength(3)
    expect(lines[1]).toContain('46 MB')
    expect(lines.join('')).not.toContain('\r')
  })

  it('names the model with its language', async () => {
    expect(await report([{ state: 'ready' }], false)).toContain('Small (English only)')
  })

  it('says why it failed and that the demo is there', async () => {
    const text = await report([{ state: 'failed', error: { code: 'starter/no-pip' } }], false)
    expect(text.trimEnd().split('\n')).toHaveLength(1)
    expect(text).toContain('pip')
    expect(text).toContain('demo')
  })
})
