import { describe, expect, it } from 'vitest'
import { FakeSuggestionLog } from '../../../../tests/fakes/window-host/fake-suggestion-log.ts'
import type { ModelProfile } from '../../../shared/domain/model/model-profile.ts'
import type { SuggestionEvent } from '../../../shared/domain/session/suggestion.ts'
import { createTranslate } from '../../../shared/i18n/translate.ts'
import { eventFacts, modelHint, rankedReasons, reasonText } from './suggestion-words.ts'

const ja = createTranslate('ja')
const en = createTranslate('en')

function factsOf(event: Partial<SuggestionEvent>): string[] {
  const log = new FakeSuggestionLog()
  log.add(event)
  return log.events.flatMap((one) => eventFacts(ja, one))
}

describe('a suggestion in words', () => {
  it.each<[string, Partial<SuggestionEvent>, string[]]>([
    [
      'that was taken',
      { outcome: 'accepted', method: 'right', timeMs: 2140, similarity: 0.923 },
      [
        '→',
        '表示 2.1 秒',
        '近さ 92%',
        '9 字',
        'SmolLM2',
        '提案まで 0.3 秒',
        '送信 900（再利用 890）・生成 4',
      ],
    ],
    [
      'of which nobody knows what was reused',
      { reusedTokens: null },
      ['9 字', 'SmolLM2', '提案まで 0.3 秒', '送信 900（再利用は不明）・生成 4'],
    ],
    [
      'that was typed over in a window behind others',
      {
        outcome: 'ignored',
        timeMs: 1_500,
        firstKeystrokeMs: 1_400,
        wasFocused: false,
        similarity: 0,
        source: 'todo',
      },
      [
        '表示 1.5 秒',
        '最初の打鍵 1.4 秒',
        'ウィンドウは背後',
        '近さ 0%',
        '9 字',
        '次の手順',
        '送信 900（再利用 890）・生成 4',
      ],
    ],
    [
      'that cost nothing',
      { source: 'tip', modelName: '', promptTokens: 0, reusedTokens: null, completionTokens: 0 },
      ['9 字', '返事の中の案内'],
    ],
    [
      'that was not made',
      { outcome: 'suppressed', reason: 'plan_mode', source: null, length: 0, promptTokens: 0 },
      ['計画モードだった'],
    ],
    [
      'that the filter kept back',
      { outcome: 'suppressed', reason: 'evaluative', length: 0 },
      ['感想やお礼だけ', 'SmolLM2', '送信 900（再利用 890）・生成 4'],
    ],
  ])('%s', (_name, event, wanted) => expect(factsOf(event)).toEqual(wanted))

  it('keeps the name of a reason that this version does not know', () => {
    expect(reasonText(ja, 'moon_phase')).toBe('その他（moon_phase）')
    expect(reasonText(en, 'constructor')).toBe('Other (constructor)')
  })

  it('puts the reasons that came most often first', () => {
    const ranked = rankedReasons({ done: 1, timeout: 7, empty: 7 })
    expect(ranked.map(({ reason }) => reason)).toEqual(['empty', 'timeout', 'done'])
  })
})

describe('the model that suggests', () => {
  const timeouts = { connectMs: 1, firstTokenMs: 1, idleMs: 1 }
  const common = { backend: 'koboldcpp', templateId: 'plain', samplerPresetId: 's', timeouts } as const
  const server = (id: string, port: number): ModelProfile => ({
    ...common,
    id,
    name: id,
    address: `http://127.0.0.1:${port}`,
    hasKey: false,
  })
  const main = server('main', 5001)
  const beside = server('beside', 5001)
  const apart = server('apart', 5002)

  it.each<[string, ModelProfile | undefined, ModelProfile | undefined, Parameters<typeof en>[0]]>([
    ['one that disturbs nobody', main, apart, 'suggestion.model.apart'],
    ['one in the same place', main, beside, 'suggestion.model.notApart'],
    ['the one in use itself', main, main, 'suggestion.model.hint'],
    ['none', main, undefined, 'suggestion.model.hint'],
    ['one beside nobody knows what', undefined, apart, 'suggestion.model.hint'],
  ])('%s', (_name, inUse, fast, key) => {
    for (const t of [ja, en])
      expect(modelHint(t, { main: inUse, fast })).toBe(t(key, { name: fast?.name ?? '' }))
  })
})
