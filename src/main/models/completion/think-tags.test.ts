import { describe, expect, it } from 'vitest'
import type { ModelEvent } from '../client/model-client.ts'
import { splitThinking } from './think-tags.ts'

async function* said(pieces: readonly string[], last: ModelEvent): AsyncGenerator<ModelEvent, void, void> {
  for (const text of pieces) yield { type: 'text', text }
  yield last
}

async function split(pieces: readonly string[], last: ModelEvent = { type: 'done', stopReason: 'stop' }) {
  let text = ''
  let reasoning = ''
  const order: string[] = []
  for await (const event of splitThinking(said(pieces, last))) {
    order.push(event.type)
    if (event.type === 'text') text += event.text
    if (event.type === 'reasoning') reasoning += event.text
    if (event.type === 'replace') text = event.text
  }
  return { text, reasoning, last: order.at(-1) }
}

describe('splitThinking', () => {
  it('tells what stands between the tags at the beginning, however it is cut', async () => {
    const whole = '\n<think>\nIs 1 < 2? </thi no.\n</think>\n\nYes, <think>.'
    const wanted = { text: 'Yes, <think>.', reasoning: '\nIs 1 < 2? </thi no.\n', last: 'done' }
    for (let size = 1; size <= whole.length; size += 1) {
      const pieces = whole.match(new RegExp(`[\\s\\S]{1,${size}}`, 'g')) ?? []
      expect(await split(pieces), `pieces of ${size}`).toEqual(wanted)
    }
  })

  it('leaves text alone that only looks like it', async () => {
    expect(await split(['<th', 'e end>'])).toMatchObject({ text: '<the end>', reasoning: '' })
    expect(await split(['So: <think>x</think>'])).toMatchObject({ text: 'So: <think>x</think>' })
    expect(await split(['<thin'])).toMatchObject({ text: '<thin', reasoning: '' })
  })

  it('tells thinking that never ended as thinking', async () => {
    expect(await split(['<think>Hm', ' and'])).toMatchObject({ text: '', reasoning: 'Hm and' })
  })

  it('takes it out of a corrected text', async () => {
    const last: ModelEvent = { type: 'replace', text: '<think>Hm</think>Yes' }
    expect(await split(['<think>H</think>Yes'], last)).toMatchObject({ text: 'Yes' })
  })
})
