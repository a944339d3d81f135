import { type KeyboardEvent, useMemo, useRef, useState } from 'react'
import { percentText } from '../../../shared/i18n/figure-text.ts'
import { wordDifference } from '../../../shared/text/difference/word-difference.ts'
import { languageOfText } from '../../../shared/text/text-language.ts'
import { takeNames, takesOf } from '../../state/reducers/take-reducer.ts'
import { useApp, useAppStore, useWords } from '../../state/store-context.tsx'
import { Button } from '../../ui/button.tsx'
import { MarkedText } from '../../ui/diff/marked-text.tsx'
import { Field } from '../../ui/fields/field.tsx'
import { Notice } from '../../ui/notice.tsx'
import { WordChoices } from '../../ui/word-choices.tsx'
import { Dialog } from '../dialogs/dialog.tsx'

/** Two takes side by side; the words that only one of them has are marked in it. */
export function CompareTake({ takeId }: { takeId: string }) {
  const { t, language } = useWords()
  const { close, open } = useApp((state) => state.ui)
  const insert = useApp((state) => state.takes.insert)
  const list = useApp((state) => state.takes.list)
  const take = list.find((one) => one.takeId === takeId)
  const all = takesOf(list, take?.path ?? null).filter((one) => one.text !== '')
  const others = all.filter((one) => one.takeId !== takeId)
  const [otherId, setOtherId] = useState<string | undefined>(others[0]?.takeId)
  const other = others.find((one) => one.takeId === otherId)
  const text = take?.text ?? ''
  const otherText = other?.text ?? text
  const difference = useMemo(
    () => wordDifference(text, otherText, languageOfText(text + otherText) ?? language),
    [text, otherText, language],
  )
  if (!take) return null

  const choose = (id: string) => {
    close()
    void insert(id)
  }
  const names = takeNames(
    all,
    (at) => new Date(at).toLocaleString(language, { dateStyle: 'short', timeStyle: 'short' }),
    (time, nth) => t('takes.named', { time, nth }),
  )
  const name = names.get(takeId) ?? ''
  const otherName = names.get(other?.takeId ?? '') ?? ''
  return (
    <Dialog title={t('takes.compareTitle')} size="large">
      <div className="compare-columns">
        <section aria-label={name}>
          <div className="row compare-head">
            <span className="grow dim">{name}</span>
            <Button variant="quiet" onClick={() => open({ kind: 'take-part', takeId: take.takeId })}>
              {t('takes.part')}
            </Button>
            <Button onClick={() => choose(take.takeId)}>{t('takes.insert')}</Button>
          </div>
          <MarkedText text={text} pieces={difference?.before} onlyHere={t('takes.onlyHere')} />
        </section>
        <section aria-label={other ? otherName : t('takes.noOther')}>
          <div className="row compare-head">
            {other ? (
              <>
                <select
                  className="select"
                  aria-label={t('takes.compareWith')}
                  value={other.takeId}
                  onChange={(event) => setOtherId(event.target.value)}
                >
                  {others.map((one) => (
                    <option key={one.takeId} value={one.takeId}>
                      {names.get(one.takeId)}
                    </option>
                  ))}
                </select>
                <span className="grow" />
                <Button variant="quiet" onClick={() => open({ kind: 'take-part', takeId: other.takeId })}>
                  {t('takes.part')}
                </Button>
                <Button onClick={() => choose(other.takeId)}>{t('takes.insert')}</Button>
              </>
            ) : (
              <span className="dim">{t('takes.noOther')}</span>
            )}
          </div>
          {other && (
            <MarkedText text={other.text} pieces={difference?.after} onlyHere={t('takes.onlyHere')} />
          )}
        </section>
      </div>
      {other && (
        <p className="dim small compare-note" role="status">
          {t(difference === null ? 'takes.unlike' : text === otherText ? 'takes.alike' : 'takes.marked')}
        </p>
      )}
    </Dialog>
  )
}

/** Inserts the selected part of a take at the caret; without a selection, all that the author has left of it. */
export function TakePart({ takeId }: { takeId: string }) {
  const { t } = useWords()
  const close = useApp((state) => state.ui.close)
  const insertPart = useApp((state) => state.takes.insertPart)
  const take = useApp((state) => state.takes.list.find((one) => one.takeId === takeId))
  const area = useRef<HTMLTextAreaElement>(null)
  const [text, setText] = useState(take?.text ?? '')
  const insert = () => {
    const { selectionStart = 0, selectionEnd = 0 } = area.current ?? {}
    const part = text.slice(selectionStart, selectionEnd) || text
    if (part === '') return
    close()
    void insertPart(takeId, part)
  }
  return (
    <Dialog
      title={t('takes.partTitle')}
      size="medium"
      footer={
        <Button variant="primary" disabled={text === ''} onClick={insert}>
          {t('takes.insert')}
        </Button>
      }
    >
      <div className="take-part">
        <Field label={t('takes.partText')} hint={t('takes.partHint')}>
          {(ids) => (
            <textarea
              {...ids}
              ref={area}
              className="textarea serif"
              rows={14}
              autoFocus
              value={text}
              onChange={(event) => setText(event.target.value)}
              onKeyDown={(event) => {
                if (event.key !== 'Enter' || !event.ctrlKey || event.nativeEvent.isComposing) return
                event.preventDefault()
                event.stopPropagation()
                insert()
              }}
            />
          )}
        </Field>
      </div>
    </Dialog>
  )
}

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
    <Dialog title={t('words.title')} description={t('words.hint')} onClose={close}>
      <section className="words" aria-label={t('words.title')} onKeyDown={hear}>
        {shown && (
          <p className="pre take-text serif words-text">
            {text.slice(0, shown.from)}
            <mark className="compare-only word-now">
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
