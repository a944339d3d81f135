import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { systemClock } from '../../platform/clock.ts'
import { loadDemoScripts } from './demo-client.ts'
import { readSamplePage } from './sample-page.ts'

const resourcesDir = fileURLToPath(new URL('../../../../resources', import.meta.url))
const never = new AbortController().signal

async function read(language: 'ja' | 'en', seed: number) {
  let page = { title: '', text: '' }
  let offer = ''
  for await (const event of readSamplePage(
    { clock: systemClock, resourcesDir, tokenMs: 0 },
    { language, seed },
    never,
  )) {
    if (event.type === 'page') page = event
    else offer += event.text
  }
  return { ...page, offer: offer.trimEnd() }
}

describe.each(['ja', 'en'] as const)('the page of the sample in %s', (language) => {
  it('is the end of the last chapter, and the demo goes on with the story', async () => {
    const script = (await loadDemoScripts(resourcesDir))[language]
    const { title, text, offer } = await read(language, 0)
    expect(title).not.toBe('')
    const sample = script.samples.find(({ after }) => text.endsWith(after))
    expect(sample?.continuations[0]).toBe(offer)
  })

  it('offers another continuation for another seed', async () => {
    const offers = await Promise.all([0, 1, 2].map(async (seed) => (await read(language, seed)).offer))
    expect(new Set(offers).size).toBe(3)
  })
})
