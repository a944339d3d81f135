import { useState } from 'react'
import { takesOf } from '../../state/reducers/take-reducer.ts'
import { useApp, useWords } from '../../state/store-context.tsx'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { TextDiff } from '../../ui/text-diff.tsx'

/** Two takes side by side, and what differs between them. */
export function CompareTake({ takeId }: { takeId: string }) {
  const { t, language } = useWords()
  const { close } = useApp((state) => state.ui)
  const insert = useApp((state) => state.takes.insert)
  const list = useApp((state) => state.takes.list)
  const take = list.find((one) => one.takeId === takeId)
  const others = takesOf(list, take?.path ?? null).filter((one) => one.takeId !== takeId && one.text !== '')
  const [otherId, setOtherId] = useState<string | undefined>(others[0]?.takeId)
  const other = others.find((one) => one.takeId === otherId)
  if (!take) return null

  const choose = (id: string) => {
    close()
    void insert(id)
  }
  const name = (at: number) =>
    new Date(at).toLocaleString(language, { dateStyle: 'short', timeStyle: 'short' })
  return (
    <Dialog title={t('takes.compareTitle')} closeLabel={t('action.close')} size="large" onClose={close}>
      <div className="compare-columns">
        <section aria-label={name(take.createdAt)}>
          <div className="row compare-head">
            <span className="grow dim">{name(take.createdAt)}</span>
            <Button onClick={() => choose(take.takeId)}>{t('takes.insert')}</Button>
          </div>
          <p className="take-text serif">{take.text}</p>
        </section>
        <section aria-label={other ? name(other.createdAt) : t('takes.noOther')}>
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
                      {name(one.createdAt)}
                    </option>
                  ))}
                </select>
                <span className="grow" />
                <Button onClick={() => choose(other.takeId)}>{t('takes.insert')}</Button>
              </>
            ) : (
              <span className="dim">{t('takes.noOther')}</span>
            )}
          </div>
          {other && <p className="take-text serif">{other.text}</p>}
        </section>
      </div>
      {other && (
        <details className="compare-diff">
          <summary>{t('diff.label')}</summary>
          <TextDiff
            before={other.text}
            after={take.text}
            words={{
              label: t('diff.label'),
              same: t('diff.same'),
              skipped: (count) => t('diff.skipped', { count }),
            }}
          />
        </details>
      )}
    </Dialog>
  )
}
