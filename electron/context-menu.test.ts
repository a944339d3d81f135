import type { EditFlags } from 'electron'
import { describe, expect, it } from 'vitest'
import { createTranslate } from '../src/shared/i18n/translate.ts'
import { contextMenuTemplate } from './context-menu.ts'

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
