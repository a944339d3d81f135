import type { ContextMenuParams, MenuItemConstructorOptions } from 'electron'
import type { Translate } from '../src/shared/i18n/translate.ts'

export type SpellingActions = { replace(word: string): void; learn(word: string): void }

/** Returns the context menu of text fields and selections; empty where it has nothing to offer. */
export function contextMenuTemplate(
  params: Pick<ContextMenuParams, 'isEditable' | 'editFlags' | 'misspelledWord' | 'dictionarySuggestions'>,
  t: Translate,
  spelling: SpellingActions,
): MenuItemConstructorOptions[] {
  const { editFlags, misspelledWord } = params
  const suggestions = params.dictionarySuggestions.map((word) => ({
    label: word.replaceAll('&', '&&'),
    click: () => spelling.replace(word),
  }))
  const learning =
    misspelledWord === '' ? [] : [{ label: t('menu.add-word'), click: () => spelling.learn(misspelledWord) }]
  const separator = learning.length > 0 ? [{ type: 'separator' as const }] : []
  if (params.isEditable) {
    return [
      ...suggestions,
      ...learning,
      ...separator,
      { role: 'cut', label: t('menu.cut'), enabled: editFlags.canCut },
      { role: 'copy', label: t('menu.copy'), enabled: editFlags.canCopy },
      { role: 'paste', label: t('menu.paste'), enabled: editFlags.canPaste },
      { type: 'separator' },
      { role: 'selectAll', label: t('menu.select-all'), enabled: editFlags.canSelectAll },
    ]
  }
  return editFlags.canCopy ? [{ role: 'copy', label: t('menu.copy') }] : []
}
