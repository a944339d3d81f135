import type { GateEffects } from '../domain/session/gate.ts'
import { type Language, sizeText, type Translate } from './translate.ts'

/** Says what becomes of a command's changes in an ignored folder. `isUndone`: undo covers them. */
export function ignoredWords(
  t: Translate,
  language: Language,
  { top, files, removed, sizeBytes }: Omit<GateEffects['ignored'][number], 'leadsOut'>,
  isUndone: boolean,
): string {
  const what = removed === 0 ? 'put' : files === 0 ? 'removed' : 'both'
  const change = t(`gate.effects.ignored.${what}`, {
    top,
    files,
    removed,
    size: sizeText(language, sizeBytes),
  })
  const undo = t(isUndone ? 'gate.effects.ignored.undone' : 'gate.effects.ignored.final')
  return [change, undo].join(language === 'ja' ? '' : ' ')
}
