import type { KeyboardEvent } from 'react'
import { percentText } from '../../../shared/i18n/figure-text.ts'
import { useApp, useAppStore, useWords } from '../../state/store-context.tsx'
import { Button } from '../../ui/button.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Dialog } from '../../ui/overlays/dialog.tsx'
import { WordChoices } from '../../ui/word-choices.tsx'

/** Other words for one of a take, with their shares; the text goes on from the one that is chosen. */
export function WordsDialog() {
  const { t, errorText } = useWords()
  const store = useAppStore()
  const { text, shown, answer, isAsking, error, step, choose, close } = useApp((state) => state.words)
  const hear = (event: KeyboardEvent<HTMLElement>) => {
    const by = { ArrowLeft: -1, ArrowRight: 1 } as const
    const rows = [...event.currentTarget.querySelectorAll<HTMLElement>('.word-choice')]
    const at = rows.findIndex((row) => row.matches(':focus'))
    if (event.key === 'ArrowLeft' || event.key === 'ArrowRight') void step(by[event.key])
    else if (event.key === 'ArrowDown') rows[Math.min(at + 1, rows.length - 1)]?.focus()
    else if (event.key === 'ArrowUp') rows[Math.max(at - 1, 0)]?.focus()
    else return
    event.preventDefault()
  }
  const take = (word: string) => {
    void choose(word)
    store.editor.current?.focus()
  }
  return (
    <Dialog
      title={t('words.title')}
      description={t('words.hint')}
      closeLabel={t('action.close')}
      onClose={close}
    >
      <section className="words" aria-label={t('words.title')} onKeyDown={hear}>
        {shown && (
          <p className="take-text serif words-text">
            {text.slice(0, shown.from)}
            <mark className="word-now">
              <span className="visually-hidden">{t('words.current')}</span>
              {text.slice(shown.from, shown.to)}
            </mark>
            {text.slice(shown.to)}
          </p>
        )}
        <div className="row">
          <Button onClick={() => void step(-1)}>{t('words.previous')}</Button>
          <Button autoFocus onClick={() => void step(1)}>
            {t('words.next')}
          </Button>
        </div>
        <p className="dim" role="status">
          {isAsking && t('words.asking')}
          {answer?.words.length === 0 && t('words.none')}
        </p>
        {error && <Notice tone="bad">{errorText(error)}</Notice>}
        {answer && (
          <WordChoices
            label={t('words.list')}
            words={answer.words.map((word) => ({ text: word.text, share: percentText(t, word.share) }))}
            onTake={take}
          />
        )}
        {answer && answer.limit < 10 && (
          <p className="dim small">{t('words.limit', { limit: answer.limit })}</p>
        )}
        {answer && answer.untold > 0 && (
          <p className="dim small">{t('words.untold', { count: answer.untold })}</p>
        )}
        {answer && answer.reusedTokens !== null && answer.promptTokens !== null && (
          <p className="dim small">
            {t('words.reused', { reused: answer.reusedTokens, prompt: answer.promptTokens })}
          </p>
        )}
      </section>
    </Dialog>
  )
}
