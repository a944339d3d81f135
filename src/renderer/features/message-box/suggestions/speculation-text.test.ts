import { describe, expect, it } from 'vitest'
import {
  mockHost,
  mockSessionId,
  openSession,
  until,
} from '../../../../../tests/fakes/window-host/open-window.ts'
import {
  speculationOf,
  speculationStateOf,
} from '../../../../../tests/fakes/window-host/speculation-fixtures.ts'
import type { SpeculationLinkState } from '../../../../shared/domain/session/speculation.ts'
import { createTranslate } from '../../../../shared/i18n/translate.ts'
import type { BoxGhost } from '../../../editor/message/message-ghost.ts'
import { speculationLink } from '../../../state/slices/session/speculation-slice.ts'
import { emptyValue } from '../box-editor.ts'
import { markText, nextText } from './speculation-mark.tsx'
import { createSpeculationText } from './speculation-text.ts'

const text = 'run the tests'
const link = speculationOf(text)
const { speculationId } = link

/** A box without a page, in a session that has a speculation on `text`. */
async function openBox() {
  const { host } = mockHost()
  host.sessions.change(mockSessionId, { openGates: [] })
  const { store, asked } = await openSession({ host })
  host.speculations.become(speculationStateOf(link))
  await until(() => speculationLink(store.getState()) !== null)
  const box: { text: string; ghost: BoxGhost | null; decided: string[] } = {
    text: '',
    ghost: null,
    decided: [],
  }
  const speculationText = createSpeculationText(
    store,
    {
      value: () => ({ ...emptyValue, segments: [{ kind: 'text', text: box.text }], ghost: box.ghost }),
      isBlank: () => box.text === '',
      setSegments([first]) {
        write(first?.kind === 'text' ? first.text : '')
      },
    },
    {
      accept(method) {
        box.decided.push(method)
        box.ghost = null
        return {
          suggestionId: 'shown',
          outcome: 'accepted',
          method,
          timeMs: 5,
          firstKeystrokeMs: null,
          wasFocused: true,
        }
      },
    },
  )
  /** Writes as the box's editor does, which calls `look` for every change. */
  function write(now: string, ghost: BoxGhost | null = null) {
    box.text = now
    box.ghost = ghost
    speculationText.look()
  }
  return { host, asked, box, speculationText, write, said: () => host.speculations.said }
}

const whole: BoxGhost = { text, isRest: false }
const accepted = [{ kind: 'accept', speculationId }]
const rejected = [{ kind: 'reject', speculationId }]

describe('what was speculated, and the text of the box', () => {
  it('is accepted with its ghost, which is taken', async () => {
    const { asked, box, speculationText, write, said } = await openBox()
    write('', whole)
    await speculationText.accept('tab')
    const suggestion = { suggestionId: 'shown', outcome: 'accepted', method: 'tab', timeMs: 5 }
    expect(said()).toMatchObject([{ ...accepted[0], suggestion }])
    expect(box).toEqual({ text: '', ghost: null, decided: ['tab'] })
    // One call says both.
    expect(asked('suggestion.outcome')).toEqual([])
  })

  it('is kept while the text is filled in, word by word, and accepted then', async () => {
    const { box, speculationText, write, said } = await openBox()
    write('', whole)
    write('run', { text: ' the tests', isRest: true })
    write(text)
    expect(said()).toEqual([])
    await speculationText.accept('enter')
    expect([said(), box.text, box.decided]).toEqual([accepted, '', []])
  })

  it('is dropped by another text, and by taking the filled one out, once', async () => {
    for (const other of [`${text}!`, '', 'run']) {
      const { speculationText, write, said } = await openBox()
      write(text)
      write(other)
      await until(() => said().length > 0)
      speculationText.look()
      expect(said()).toEqual(rejected)
    }
  })

  it('stands while its ghost hides, and the box is empty', async () => {
    const { write, said } = await openBox()
    write('', whole)
    write('')
    write('', whole)
    await Promise.resolve()
    expect(said()).toEqual([])
  })

  it('of another text than the one in the box is not accepted', async () => {
    const { box, speculationText, said } = await openBox()
    box.text = 'run'
    await speculationText.accept('enter')
    expect([said(), box.text]).toEqual([[], 'run'])
  })

  it.each([
    { what: 'that is gone leaves its text in the box', isAccepted: false, left: text },
    { what: 'that another window has accepted leaves nothing', isAccepted: true, left: '' },
  ])('$what', async ({ isAccepted, left }) => {
    const { host, box, speculationText, write } = await openBox()
    host.speculations.isTooLate = true
    host.speculations.isAccepted = isAccepted
    write('', whole)
    await speculationText.accept('tab')
    expect(box.text).toBe(left)
  })
})

it('the mark says how much was done', () => {
  const t = createTranslate('en')
  const [file] = link.files
  expect([
    markText(t, link),
    markText(t, speculationOf(text, { files: file ? [file, { ...file, path: 'b.ts' }] : [] })),
    markText(t, speculationOf(text, { files: [] })),
    markText(t, speculationOf(text, { tests: { passed: 54, failed: 1 } })),
    markText(t, speculationOf(text, { phase: 'running' })),
  ]).toEqual([
    'Use the work ahead: 1 file · +3 −1',
    'Use the work ahead: 2 files · +6 −2',
    'Use the work ahead: the answer',
    'Use the work ahead: 1 file · +3 −1 · 54 tests passed · 1 test failed',
    'Working ahead: use it',
  ])
})

it('the mark says what it cost and what Tab does next', () => {
  const t = createTranslate('en')
  const nextOf = (is: Partial<SpeculationLinkState>) => nextText(t, speculationOf(text, is))
  expect(nextOf({})).toBe('asks before it writes · 4 s, 970 tokens')
  expect(nextOf({ onAccept: 'write' })).toMatch(/^writes at once · /)
  expect(nextOf({ onAccept: 'denied' })).toMatch(/^blocked by a rule or the mode · /)
  expect(nextOf({ onAccept: 'add', files: [] })).toMatch(/^changes no file · /)
  expect(nextOf({ phase: 'running', onAccept: 'go-on' })).toBe('goes on here')
  expect(nextOf({ onAccept: null })).toBeNull()
})
