import type { Language, Translate } from '../../../shared/i18n/translate.ts'
import type { EditorLabels } from '../../editor/editor-types.ts'

/**
 * Returns the editor's words in the chosen language; `phrases` are keyed by CodeMirror's own English.
 * `continueKeys`: those that ask for a continuation, or for an idea; undefined: none do.
 */
export function editorLabels(
  t: Translate,
  language: Language,
  continueKeys: readonly string[] | undefined,
  isIdea = false,
): EditorLabels {
  return {
    document: t('editor.document'),
    language,
    vertical: t('vertical.label'),
    placeholder: continueKeys
      ? t(isIdea ? 'editor.placeholder.idea' : 'editor.placeholder', { keys: continueKeys.join('+') })
      : t('editor.placeholder.plain'),
    accept: t('editor.accept'),
    acceptSentence: t('editor.acceptSentence'),
    retry: t('editor.retry'),
    stop: t('editor.stop'),
    dismiss: t('editor.dismiss'),
    moreLines: (count) => t('editor.moreLines', { count }),
    leave: t('editor.leave'),
    pending: t('editor.pending'),
    search: {
      matches: (at, count, isMore) =>
        at > 0 && !isMore
          ? t('search.matchAt', { at, count })
          : t(isMore ? 'search.matchesMore' : 'search.matches', { count }),
      tooSlow: t('search.tooSlow'),
    },
    previousTake: t('editor.previousTake'),
    nextTake: t('editor.nextTake'),
    phrases: {
      Find: t('search.find'),
      Replace: t('search.replace'),
      next: t('search.next'),
      previous: t('search.previous'),
      all: t('search.all'),
      'match case': t('search.matchCase'),
      regexp: t('search.regexp'),
      'by word': t('search.byWord'),
      replace: t('search.replaceOne'),
      'replace all': t('search.replaceAll'),
      close: t('action.close'),
      'current match': t('search.currentMatch'),
      'replaced $ matches': t('search.replacedMatches'),
      'replaced match on line $': t('search.replacedMatch'),
      'on line': t('search.onLine'),
      'Go to line': t('search.goToLine'),
      go: t('search.go'),
      'Control character': t('search.controlCharacter'),
      'Selection deleted': t('search.selectionDeleted'),
    },
  }
}
