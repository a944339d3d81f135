import './compare-disk.css'
import { useEffect, useId, useMemo, useState } from 'react'
import type { ErrorInfo } from '../../../shared/errors.ts'
import {
  type Chunk,
  mergedText,
  openChanges,
  type Side,
  threeWayChunks,
} from '../../../shared/text/difference/three-way.ts'
import { wordDifference } from '../../../shared/text/difference/word-difference.ts'
import { languageOfText } from '../../../shared/text/text-language.ts'
import { displayName } from '../../state/reducers/work-reducer.ts'
import { infoOf } from '../../state/slices/follow.ts'
import { useApp, useAppStore, useWords } from '../../state/store-context.tsx'
import { Button } from '../../ui/button.tsx'
import { MarkedText } from '../../ui/diff/marked-text.tsx'
import { TextDiff } from '../../ui/diff/text-diff.tsx'
import { Segmented } from '../../ui/fields/segmented.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Dialog } from '../dialogs/dialog.tsx'

/** The text on the disk, and the one that it and the window's text come from; null where that is no longer known. */
type Texts = { disk: string; base: string | null }

const sides = ['current', 'speculated', 'both'] as const

/** Compares the text on the disk with the window's: the user decides place by place, or takes one of them whole. */
export function CompareDisk({ path }: { path: string }) {
  const { t, errorText } = useWords()
  const store = useAppStore()
  const close = useApp((state) => state.ui.close)
  const { resolveConflict, mergeConflict } = useApp((state) => state.documents)
  const view = useApp((state) => state.documents.byPath[path])
  const [texts, setTexts] = useState<Texts | null>(null)
  const [chosen, setChosen] = useState<ReadonlyMap<number, Side>>(new Map())
  const [error, setError] = useState<ErrorInfo | null>(null)
  const documentId = view?.documentId ?? null

  useEffect(() => {
    if (documentId === null) return
    store.client['document.diskText']({ documentId }).then(
      ({ text, base }) => setTexts({ disk: text, base }),
      (failure) => setError(infoOf(failure)),
    )
  }, [store, documentId])

  const mine = view ? (store.editor.current?.textOf(view.key) ?? '') : ''
  const chunks = useMemo(
    () => (texts === null || texts.base === null ? null : threeWayChunks(texts.base, texts.disk, mine)),
    [texts, mine],
  )
  const places =
    chunks?.flatMap((chunk) => (chunk.kind === 'change' && chunk.side === null ? chunk : [])) ?? []
  const open = chunks === null ? 0 : openChanges(chunks, chosen).length
  const merged = chunks && open === 0 ? mergedText(chunks, chosen) : null
  const openId = useId()

  const choose = (choice: 'reload' | 'keep-mine') => {
    close()
    void resolveConflict(path, choice)
  }
  return (
    <Dialog
      title={t('conflict.compareTitle', { name: displayName(path) })}
      description={t(places.length > 0 ? 'conflict.placesHint' : 'conflict.compareHint')}
      size="large"
      footer={
        <>
          {open > 0 && (
            <p id={openId} className="small dim grow">
              {t('speculation.conflict.open', { count: open })}
            </p>
          )}
          <Button onClick={() => choose('reload')}>{t('conflict.reload')}</Button>
          <Button onClick={() => choose('keep-mine')}>{t('conflict.keepMine')}</Button>
          {chunks !== null && (
            <Button
              variant="primary"
              disabled={merged === null}
              aria-describedby={open > 0 ? openId : undefined}
              onClick={() => {
                if (merged === null || texts === null) return
                close()
                void mergeConflict(path, { mine, disk: texts.disk, text: merged })
              }}
            >
              {t('conflict.merge')}
            </Button>
          )}
        </>
      }
    >
      {error && <Notice tone="bad">{errorText(error)}</Notice>}
      {places.map((place, index) => (
        <Place
          key={place.index}
          place={place}
          label={t('conflict.place', { number: index + 1 })}
          side={chosen.get(place.index) ?? null}
          onChoose={(side) => setChosen(new Map([...chosen, [place.index, side]]))}
        />
      ))}
      {texts !== null && places.length === 0 && (
        <TextDiff before={texts.disk} after={mine} words={diffWords(t)} />
      )}
    </Dialog>
  )
}

type PlaceProps = {
  place: Extract<Chunk, { kind: 'change' }>
  label: string
  side: Side | null
  onChoose: (side: Side) => void
}

function Place({ place, label, side, onChoose }: PlaceProps) {
  const { t, language } = useWords()
  const texts = { current: place.current.join(''), speculated: place.speculated.join('') }
  const { current, speculated } = texts
  const difference = useMemo(
    () => wordDifference(current, speculated, languageOfText(current + speculated) ?? language),
    [current, speculated, language],
  )
  const pieces = { current: difference?.before, speculated: difference?.after }
  return (
    <section className="conflict-place" aria-label={label}>
      <div className="conflict-sides">
        {(['current', 'speculated'] as const).map((whose) => (
          <figure
            key={whose}
            className={side === null || side === whose || side === 'both' ? undefined : 'dim'}
          >
            <figcaption className="label">{t(`conflict.side.${whose}`)}</figcaption>
            {texts[whose] === '' ? (
              <p className="dim">{t('conflict.side.none')}</p>
            ) : (
              <MarkedText text={texts[whose]} pieces={pieces[whose]} onlyHere={t('takes.onlyHere')} />
            )}
          </figure>
        ))}
      </div>
      <Segmented
        label={label}
        value={side ?? ''}
        options={sides.map((value) => ({ value, label: t(`conflict.side.${value}`) }))}
        onChange={(next) => next !== '' && onChoose(next)}
      />
    </section>
  )
}

const diffWords = (t: ReturnType<typeof useWords>['t']) => ({
  label: t('diff.label'),
  same: t('diff.same'),
  skipped: (count: number) => t('diff.skipped', { count }),
})
