import type { BrowserWindow, MessageBoxOptions, OpenDialogOptions, SaveDialogOptions } from 'electron'
import { describe, expect, it } from 'vitest'
import { createTranslate, type Language } from '../src/shared/i18n/translate.ts'
import { createQuestions } from './questions.ts'

type Box = Omit<MessageBoxOptions & OpenDialogOptions, 'properties'> & Pick<SaveDialogOptions, 'properties'>

function setUp(options: { response?: number; filePaths?: string[]; hasWindow?: boolean } = {}) {
  const { response = 0, filePaths = [], hasWindow = true } = options
  const shown: Box[] = []
  const parents: unknown[] = []
  const window = {} as BrowserWindow
  let language: Language = 'en'
  const show = (first: object, second?: object) => {
    parents.push(second === undefined ? undefined : first)
    shown.push((second ?? first) as Box)
  }
  const questions = createQuestions({
    dialog: {
      showMessageBox: async (first: object, second?: object) => {
        show(first, second)
        return { response, checkboxChecked: false }
      },
      showOpenDialog: async (first: object, second?: object) => {
        show(first, second)
        return { canceled: filePaths.length === 0, filePaths }
      },
      showSaveDialog: async (first: object, second?: object) => {
        show(first, second)
        return { canceled: filePaths.length === 0, filePath: filePaths[0] ?? '' }
      },
    },
    parent: () => (hasWindow ? window : undefined),
    t: () => createTranslate(language),
  })
  return { questions, shown, parents, window, speak: (next: Language) => (language = next) }
}

describe('createQuestions', () => {
  it('closes only when that was chosen, and never by Enter or Escape', async () => {
    const yes = setUp({ response: 0 })
    expect(await yes.questions.mayCloseWith('unsaved')).toBe(true)
    expect(yes.shown[0]).toMatchObject({ defaultId: 1, cancelId: 1, buttons: ['Close Anyway', 'Go Back'] })
    expect(await setUp({ response: 1 }).questions.mayCloseWith('running')).toBe(false)
  })

  it('asks in the language of the moment, before its window', async () => {
    const { questions, shown, parents, window, speak } = setUp()
    await questions.mayCloseWith('running')
    speak('ja')
    await questions.mayCloseWith('running')
    expect(shown.map((box) => box.message)).toEqual([
      'The model is still writing.',
      'モデルがまだ書いています。',
    ])
    expect(parents).toEqual([window, window])
  })

  it('asks without a window where there is none yet', async () => {
    const { questions, shown, parents } = setUp({ hasWindow: false })
    await questions.showHostInUse('http://127.0.0.1:4567/')
    await questions.pick('folder')
    expect(parents).toEqual([undefined, undefined])
    expect(shown[0]?.detail).toContain('http://127.0.0.1:4567/')
  })

  it('can withdraw the question about a page that hangs', async () => {
    const { questions, shown } = setUp()
    const { signal } = new AbortController()
    await questions.loadAgainWhileHanging(signal)
    expect(shown[0]?.signal).toBe(signal)
  })

  it('picks folders, files and models', async () => {
    const { questions, shown } = setUp({ filePaths: ['/w/rain'] })
    expect(await questions.pick('folder', '/w')).toBe('/w/rain')
    expect(await questions.pick('model')).toBe('/w/rain')
    expect(shown[0]).toMatchObject({ properties: ['openDirectory', 'createDirectory'], defaultPath: '/w' })
    expect(shown[1]).toMatchObject({ properties: ['openFile'], filters: [{ extensions: ['gguf'] }] })
    expect(await setUp().questions.pick('file')).toBeNull()
  })

  it('picks a place and a name for what is new', async () => {
    const { questions, shown, parents, window } = setUp({ filePaths: ['/w/rain.json'] })
    expect(await questions.pick('new-project', 'rain.json')).toBe('/w/rain.json')
    expect(await questions.pick('new-folder')).toBe('/w/rain.json')
    expect(shown[0]).toMatchObject({ defaultPath: 'rain.json', filters: [{ extensions: ['json'] }] })
    expect(shown.map((box) => box.title)).toEqual(['Export as a project file', 'New work'])
    expect(parents).toEqual([window, window])
    expect(await setUp().questions.pick('new-folder')).toBeNull()
    const early = setUp({ hasWindow: false })
    await early.questions.pick('new-project')
    expect(early.parents).toEqual([undefined])
  })
})
