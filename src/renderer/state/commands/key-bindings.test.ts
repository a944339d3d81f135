import { describe, expect, it } from 'vitest'
import { AppSettings, type Shortcuts } from '../../../shared/domain/app/app-settings.ts'
import { chordOf, keysOfPress } from '../../../shared/text/key-press.ts'
import { commands, isSave } from './commands.ts'
import { bindingOf, defaultKeys, isHeard, keysOf, ownerOf, troubleOf } from './key-bindings.ts'

const press = (key: string, held: string[] = [], code = '') => ({
  key,
  code,
  ctrlKey: held.includes('Ctrl'),
  metaKey: held.includes('Meta'),
  shiftKey: held.includes('Shift'),
  altKey: held.includes('Alt'),
})
const stateOf = (kind: 'web' | 'electron', shortcuts: Partial<Shortcuts> = {}) =>
  ({
    connection: { host: { kind } },
    settings: { value: AppSettings.parse({ shortcuts }) },
  }) as never
const command = (id: string) => {
  const found = commands.find((one) => one.id === id)
  if (found === undefined) throw new Error(id)
  return found
}

/** Keys that mean the same in a browser, and those that the product's own document names. */
const wanted = ['Ctrl S', 'Ctrl F', 'Ctrl O', 'Alt ←', 'Alt →', 'Ctrl Shift H'].map((text) =>
  chordOf(text.split(' ')),
)

describe('the keys of each host', () => {
  it('are none that a browser keeps or uses for something else', () => {
    const colliding = commands
      .filter(({ scope }) => scope !== 'editor')
      .flatMap((one) => defaultKeys(one, 'web') ?? [])
    expect(colliding).not.toContain('F5')
    const troubles = commands.flatMap((one) => {
      const keys = defaultKeys(one, 'web')
      if (keys === undefined || one.scope === 'editor' || wanted.includes(chordOf(keys))) return []
      const trouble = troubleOf(keys, 'web')
      return trouble === 'kept-by-browser' || trouble === 'used-by-browser'
        ? [`${one.id}: ${keys.join('+')}`]
        : []
    })
    expect(troubles).toEqual([])
  })

  it.each(wanted)('are given to a page that asks for them: %s', (chord) => {
    expect(troubleOf(chord.split('+'), 'web')).not.toBe('kept-by-browser')
  })

  it('save nothing of the browser where there is nothing to save', () => {
    expect(isSave(press('s', ['Ctrl']), stateOf('web'))).toBe(true)
    expect(isSave(press('s', ['Ctrl']), stateOf('web', { web: { 'file.save': ['F4'] } }))).toBe(false)
  })

  it.each(['web', 'electron'] as const)('are different for each command (%s)', (host) => {
    const seen = new Map<string, string>()
    for (const one of commands) {
      const keys = defaultKeys(one, host)
      if (keys === undefined) continue
      const chord = chordOf(keys)
      expect(seen.get(chord) ?? bindingOf(one)).toBe(bindingOf(one))
      seen.set(chord, bindingOf(one))
    }
  })
})

describe('keys that were chosen', () => {
  it('take the place of the others, and of those that are not printed', () => {
    const state = stateOf('web', { web: { palette: ['Ctrl', 'Alt', 'K'] } })
    expect(keysOf(command('palette'), state)).toEqual(['Ctrl', 'Alt', 'K'])
    expect(isHeard(command('palette'), press('k', ['Ctrl', 'Alt']), state)).toBe(true)
    expect(isHeard(command('palette'), press('P', ['Ctrl', 'Shift']), state)).toBe(false)
    expect(isHeard(command('palette'), press('P', ['Ctrl', 'Shift']), stateOf('web'))).toBe(true)
  })

  it('are of one host', () => {
    const state = stateOf('electron', { web: { palette: ['Ctrl', 'Alt', 'K'] } })
    expect(keysOf(command('palette'), state)).toEqual(['Ctrl', 'Shift', 'P'])
  })

  it('may be none', () => {
    expect(keysOf(command('editor.typewriter'), stateOf('web', { web: { 'editor.typewriter': [] } }))).toBe(
      undefined,
    )
  })

  it('are those of both commands that share them', () => {
    const state = stateOf('web', { web: { 'view.switch': ['F4'] } })
    expect(keysOf(command('view.session'), state)).toEqual(['F4'])
    expect(keysOf(command('view.manuscript'), state)).toEqual(['F4'])
  })

  it('know which command has them already', () => {
    expect(ownerOf(commands, ['Alt', 'G'], 'palette', stateOf('web'))?.id).toBe('gate.focus')
    expect(ownerOf(commands, ['Alt', 'G'], 'gate.focus', stateOf('web'))).toBeUndefined()
  })
})

describe('a press', () => {
  it('is read as it is printed', () => {
    expect(keysOfPress(press('®', ['Alt'], 'KeyR'))).toEqual(['Alt', 'R'])
    expect(keysOfPress(press('ArrowLeft', ['Ctrl', 'Shift']))).toEqual(['Ctrl', 'Shift', '←'])
    expect(keysOfPress(press('F4'))).toEqual(['F4'])
    expect(keysOfPress(press('Control', ['Ctrl']))).toBeNull()
  })

  it.each([
    [['K'], 'web', 'plain'],
    [['Ctrl', 'N'], 'web', 'kept-by-browser'],
    [['Ctrl', 'N'], 'electron', null],
    [['Ctrl', 'Shift', 'J'], 'web', 'used-by-browser'],
    [['Ctrl', 'Z'], 'electron', 'used-by-text'],
    [['F4'], 'web', null],
  ] as const)('%j in %s', (keys, host, trouble) => {
    expect(troubleOf(keys, host)).toBe(trouble)
  })
})
