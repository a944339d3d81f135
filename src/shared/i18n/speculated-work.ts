import type { SpeculationLinkState } from '../domain/session/speculation.ts'
import type { Translate } from './translate.ts'

/** Summarises the work of a speculation in short: files, lines, tests. */
export function speculatedWork(
  t: Translate,
  { files, tests }: Pick<SpeculationLinkState, 'files' | 'tests'>,
): string {
  const sum = (count: 'addedLines' | 'removedLines'): number =>
    files.reduce((all, file) => all + file[count], 0)
  const parts = [
    files.length === 0 ? '' : t('speculation.files', { count: files.length }),
    files.length === 0 ? '' : `+${sum('addedLines')} −${sum('removedLines')}`,
    tests === null || tests.passed === 0 ? '' : t('speculation.tests.passed', { count: tests.passed }),
    tests === null || tests.failed === 0 ? '' : t('speculation.tests.failed', { count: tests.failed }),
  ].filter((part) => part !== '')
  return parts.length === 0 ? t('speculation.mark.answer') : parts.join(' · ')
}
