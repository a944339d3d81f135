import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { ModelEvent } from '../client/model-client.ts'
import { loadTemplates } from '../profiles/template-pack.ts'
import {
  breakControlStrings,
  ControlTable,
  controlStringsOf,
  mendControlStrings,
  mendEvents,
} from './break-control-strings.ts'

const templates = await loadTemplates(join(import.meta.dirname, '../../../../resources/templates'))
const table = ControlTable.parse(
  JSON.parse(readFileSync(join(import.meta.dirname, '../../../../resources/control-strings.json'), 'utf8')),
)
const controls = controlStringsOf(templates.values(), table)

describe('control strings in a text', () => {
  it('of every template are broken, and look the same', () => {
    for (const { wrapper, stops, turnEnd = '' } of templates.values()) {
      const text = [wrapper, turnEnd, ...stops].join('\n')
      const broken = breakControlStrings(text, controls)
      for (const marker of text.match(/<[^<>\n]*>|\[\/?INST\]|### \w+:/g) ?? []) {
        expect(broken).not.toContain(marker)
      }
      expect(broken.replaceAll('\u2060', '')).toBe(text)
      expect(mendControlStrings(broken)).toBe(text)
    }
  })

  it.each(['<|user|>', '<|endoftext|>', '<｜User｜>', '</s>', '<eos>', '</tool_response>', '[TOOL_CALLS]'])(
    'of other families are broken, too: %s',
    (marker) => {
      const broken = breakControlStrings(`a${marker}b`, controls)
      expect(broken).not.toContain(marker)
      expect(mendControlStrings(broken)).toBe(`a${marker}b`)
    },
  )

  it('are nothing that code and prose are made of', () => {
    const text = 'a < b || c > d; list[INSTALLED]; x |> f; <section>; # 一\n## 二 [0] <string>'
    expect(breakControlStrings(text, controls)).toBe(text)
  })

  it('come back whole where a model says them again, in whichever pieces', async () => {
    const text = 'a [INST] b <|im_end|> c'
    const broken = breakControlStrings(text, controls)
    for (let size = 1; size < broken.length; size += 1) {
      const pieces = broken.match(new RegExp(`[\\s\\S]{1,${size}}`, 'g')) ?? []
      let said = ''
      for await (const event of mendEvents(events(pieces))) if (event.type === 'text') said += event.text
      expect(said).toBe(text)
    }
  })
})

async function* events(pieces: readonly string[]): AsyncGenerator<ModelEvent, void, void> {
  for (const text of pieces) yield { type: 'text', text }
}
