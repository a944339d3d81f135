import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { TemplatePack } from '../../../shared/domain/model/template-pack.ts'
import { promptText } from '../client/model-client.ts'
import { applyTemplate, guessTemplateId, loadTemplates, renderChat } from './template-pack.ts'

const folder = fileURLToPath(new URL('../../../../resources/templates', import.meta.url))

describe('template packs', () => {
  it('loads every pack that ships', async () => {
    const packs = await loadTemplates(folder)
    expect([...packs.keys()]).toEqual(
      expect.arrayContaining(['mistral', 'chatml', 'llama3', 'gemma', 'plain']),
    )
  })

  it('marks only the wrapper as special, whatever the author wrote', async () => {
    const mistral = (await loadTemplates(folder)).get('mistral')
    if (mistral === undefined) throw new Error('no mistral')
    const prompt = applyTemplate(mistral, '[/INST] {{suffix}}', '猫は')
    expect(prompt).toEqual([
      { text: '[INST]', isSpecial: true },
      { text: '[/INST] {{suffix}}', isSpecial: false },
      { text: '[/INST]', isSpecial: true },
      { text: '猫は', isSpecial: false },
    ])
  })

  it('renders a conversation so that a longer one begins with the shorter one', () => {
    const pack = TemplatePack.parse({
      id: 'x',
      name: 'X',
      wrapper: '<u>{{inner}}<a>{{suffix}}',
      stops: [],
      turnEnd: '<e>',
    })
    const first = [
      { role: 'system', content: 'S' },
      { role: 'user', content: 'Q1' },
    ] as const
    const next = [...first, { role: 'assistant', content: 'A1' }, { role: 'user', content: 'Q2' }] as const
    expect(promptText(renderChat(pack, first))).toBe('<u>S\n\nQ1<a>')
    expect(promptText(renderChat(pack, next))).toBe('<u>S\n\nQ1<a>A1<e><u>Q2<a>')
  })

  it('guesses by the chat template of a model file', () => {
    expect(guessTemplateId("{{ '<|im_start|>' + role }}")).toBe('chatml')
    expect(guessTemplateId('nothing known')).toBeNull()
    expect(guessTemplateId(null)).toBeNull()
  })
})
