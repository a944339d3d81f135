import type { EditFlags, MenuItemConstructorOptions } from 'electron'
import { describe, expect, it } from 'vitest'
import { createTranslate, type Language } from '../src/shared/i18n/translate.ts'
import { contextMenuTemplate, type MenuOptions, menuTemplate } from './menu.ts'

function setUp(options: Partial<Omit<MenuOptions, 't'>> & { language?: Language } = {}) {
  const { language = 'en', ...rest } = options
  const done: string[] = []
  const template = menuTemplate({
    platform: 'linux',
    t: createTranslate(language),
    recent: [],
    keys: { 'draft.start': 'Ctrl+Enter' },
    isDeveloper: false,
    actions: {
      open: (kind) => done.push(`open ${kind}`),
      openRecent: (root) => done.push(`recent ${root}`),
      save: () => done.push('save'),
      command: (command) => done.push(command),
      showLogs: () => done.push('logs'),
    },
    ...rest,
  })
  return { done, template }
}

const flat = (items: MenuItemConstructorOptions[]): MenuItemConstructorOptions[] =>
  items.flatMap((item) => [item, ...(Array.isArray(item.submenu) ? flat(item.submenu) : [])])

const find = (items: MenuItemConstructorOptions[], label: string) =>
  flat(items).find((item) => item.label === label)

function click(items: MenuItemConstructorOptions[], label: string): void {
  const item = find(items, label)
  if (item?.click === undefined) throw new Error(`nothing to click: ${label}`)
  ;(item.click as () => void)()
}

describe('menuTemplate', () => {
  it('names every entry in the language that is asked for', () => {
    const top = (language: Language) => setUp({ language }).template.map((menu) => menu.label)
    expect(top('en')).toEqual(['&File', '&Edit', '&Write', '&View', '&Help'])
    expect(top('ja')).toEqual(['ファイル(&F)', '編集(&E)', '執筆(&W)', '表示(&V)', 'ヘルプ(&H)'])
    for (const language of ['en', 'ja'] as const) {
      const nameless = flat(setUp({ language }).template).filter(
        (item) => item.type !== 'separator' && !item.label,
      )
      expect(nameless).toEqual([])
    }
  })

  it('has the first letters unmarked and an app menu on macOS', () => {
    const { template } = setUp({ platform: 'darwin', language: 'ja' })
    expect(template.map((menu) => menu.label)).toEqual([
      'Tsugi',
      'ファイル',
      '編集',
      '執筆',
      '表示',
      'ウィンドウ',
      'ヘルプ',
    ])
    expect(flat(template).filter((item) => item.role === 'quit')).toHaveLength(1)
  })

  it('does what its entries say', () => {
    const { done, template } = setUp({ recent: [{ root: '/w/rain', name: 'Rain & Snow' }] })
    for (const label of ['Open Folder…', 'Open File…', 'Open Model File (GGUF)…', 'Save Now', 'Continue']) {
      click(template, label)
    }
    click(template, 'Rain && Snow')
    click(template, 'Show Log Folder')
    expect(done).toEqual([
      'open folder',
      'open file',
      'open model',
      'save',
      'draft.start',
      'recent /w/rain',
      'logs',
    ])
  })

  it('shows the keys of the window without taking them from the page', () => {
    const { template } = setUp()
    expect(find(template, 'Continue')).toMatchObject({
      accelerator: 'Ctrl+Enter',
      registerAccelerator: false,
    })
    expect(find(template, 'Stop')).not.toHaveProperty('accelerator')
  })

  it('shows no keys of the page on macOS, which would take them from it', () => {
    const { template } = setUp({ platform: 'darwin' })
    const ofPage = flat(template).filter((item) => item.id !== undefined)
    expect(ofPage.length).toBeGreaterThan(5)
    expect(ofPage.filter((item) => item.accelerator !== undefined)).toEqual([])
  })

  it('says that there is nothing to reopen', () => {
    expect(find(setUp().template, 'Nothing opened yet')).toMatchObject({ enabled: false })
  })

  it('uses no key twice', () => {
    const keys = flat(setUp({ isDeveloper: true }).template).flatMap((item) => item.accelerator ?? [])
    expect(keys.length).toBeGreaterThan(3)
    expect(new Set(keys).size).toBe(keys.length)
  })

  it('keeps the developer tools for developers', () => {
    expect(find(setUp().template, 'Developer Tools')).toBeUndefined()
    expect(find(setUp({ isDeveloper: true }).template, 'Developer Tools')).toBeDefined()
  })
})

const noFlags: EditFlags = {
  canUndo: false,
  canRedo: false,
  canCut: false,
  canCopy: false,
  canPaste: false,
  canDelete: false,
  canSelectAll: false,
  canEditRichly: false,
}
const plain = {
  isEditable: false,
  editFlags: noFlags,
  misspelledWord: '',
  dictionarySuggestions: [] as string[],
}

function labels(params: Partial<typeof plain>, language: 'ja' | 'en' = 'en') {
  const done: string[] = []
  const template = contextMenuTemplate({ ...plain, ...params }, createTranslate(language), {
    replace: (word) => done.push(`replace ${word}`),
    learn: (word) => done.push(`learn ${word}`),
  })
  return { done, template, labels: template.map((item) => item.label ?? item.type) }
}

describe('contextMenuTemplate', () => {
  it('offers nothing where nothing can be done', () => {
    expect(labels({}).labels).toEqual([])
  })

  it('offers to copy a selection that cannot be changed', () => {
    expect(labels({ editFlags: { ...noFlags, canCopy: true } }, 'ja').labels).toEqual(['コピー'])
  })

  it('offers editing in a text field, as far as it is possible', () => {
    const { template, labels: shown } = labels({
      isEditable: true,
      editFlags: { ...noFlags, canPaste: true },
    })
    expect(shown).toEqual(['Cut', 'Copy', 'Paste', 'separator', 'Select All'])
    expect(template.filter((item) => item.enabled).map((item) => item.role)).toEqual(['paste'])
  })

  it('offers other spellings first', () => {
    const {
      done,
      template,
      labels: shown,
    } = labels({
      isEditable: true,
      misspelledWord: 'teh',
      dictionarySuggestions: ['the', 'R&D'],
    })
    expect(shown.slice(0, 4)).toEqual(['the', 'R&&D', 'Add to Dictionary', 'separator'])
    for (const item of template.slice(0, 3)) (item.click as () => void)()
    expect(done).toEqual(['replace the', 'replace R&D', 'learn teh'])
  })
})
