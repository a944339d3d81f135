import { useMemo, useState } from 'react'
import { wordDifference } from '../../../shared/text/difference/word-difference.ts'
import { languageOfText } from '../../../shared/text/text-language.ts'
import { takeNames, takesOf } from '../../state/reducers/take-reducer.ts'
import { useApp, useWords } from '../../state/store-context.tsx'
import { Button } from '../../ui/button.tsx'
import { MarkedText } from '../../ui/diff/marked-text.tsx'
import { Dialog } from '../../ui/overlays/dialog.tsx'

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
    <Dialog title={t('takes.compareTitle')} closeLabel={t('action.close')} size="large" onClose={close}>
      <div className="compare-columns">
        <section aria-label={name}>
          <div className="row compare-head">
            <span className="grow dim">{name}</span>
            <Button look="quiet" onClick={() => open({ kind: 'take-part', takeId: take.takeId })}>
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
                <Button look="quiet" onClick={() => open({ kind: 'take-part', takeId: other.takeId })}>
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
