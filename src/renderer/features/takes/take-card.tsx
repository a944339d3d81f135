import { type CSSProperties, useState } from 'react'
import type { Take } from '../../../shared/domain/drafting/take.ts'
import type { WordSpan } from '../../../shared/domain/drafting/word-span.ts'
import { isSpeed, speedText } from '../../../shared/i18n/figure-text.ts'
import { takesOf } from '../../state/reducers/take-reducer.ts'
import { useApp, useWords } from '../../state/store-context.tsx'
import { Button, IconButton } from '../../ui/button.tsx'
import { Meter } from '../../ui/meter.tsx'
import { Menu } from '../../ui/overlays/menu.tsx'

/** Longer takes are folded until they are asked for. Units: UTF-16 units; only a display limit. */
const foldedLength = 280

type TakeCardProps = {
  take: Take
  name: string
  /** The first word in which the take differs from the others of its place, as in `PlacedTake`. */
  word: string | null
  depth: number
  isShown: boolean
}

export function TakeCard({ take, name, word, depth, isShown }: TakeCardProps) {
  const { t } = useWords()
  const run = useApp((state) => state.runs.byTake[take.takeId]?.run)
  const { insert, keep, showPrompt } = useApp((state) => state.takes)
  const stopOne = useApp((state) => state.runs.stopOne)
  const { marksUncertain } = useApp((state) => state.settings.value.drafting)
  const { open, toast } = useApp((state) => state.ui)
  const canCompare = useApp((state) =>
    takesOf(state.takes.list, take.path).some((one) => one.takeId !== take.takeId && one.text !== ''),
  )
  const [isUnfolded, setIsUnfolded] = useState(false)
  const isRunning = run?.state === 'running'
  const text = isRunning ? run.text : take.text
  const isLong = text.length > foldedLength
  const figures = isRunning ? run.figures : take
  const shownText = isLong && !isUnfolded ? cut(text) : text
  // A take that begins a paragraph begins with its line end, one within a sentence with a space.
  const begin = /^[ \n]*/.exec(text)?.[0].length ?? 0
  const insertedEnd = Math.max(begin, take.acceptedLength)

  const copy = () =>
    void navigator.clipboard.writeText(text).then(
      () => toast({ key: 'toast.copied' }),
      () => toast({ key: 'toast.notCopied' }),
    )

  return (
    <li
      aria-label={name}
      className={`card take take-deep${isShown ? ' take-shown' : ''}`}
      style={{ '--take-depth': Math.min(depth, 4) } as CSSProperties}
    >
      <p className="take-facts">
        <time dateTime={new Date(take.createdAt).toISOString()}>{name}</time>
        {isShown && <span className="take-mark">{t('takes.shown')}</span>}
        {!isShown && (take.state === 'inserted' || take.state === 'kept') && (
          <span>{t(`takes.${take.state}`)}</span>
        )}
        {word !== null && (
          <span className="take-word">
            {word === '' ? t('takes.partingEnd') : t('takes.parting', { word })}
          </span>
        )}
        <span>{t('takes.tokens', { count: figures.completionTokens })}</span>
        {take.isDemo && <span>{t('model.demoShort')}</span>}
        {figures.tokensPerSecond !== null && isSpeed(figures.tokensPerSecond) && (
          <span>{speedText(t, figures.tokensPerSecond)}</span>
        )}
      </p>
      {take.rewrite && (
        <p className="small dim">{t('takes.rewritten', { instruction: take.rewrite.instruction })}</p>
      )}
      {(take.stopReason === 'scaffolding' ||
        take.stopReason === 'repetition' ||
        take.stopReason === 'replaced' ||
        take.stopReason === 'met') && <p className="small dim">{t(`takes.ended.${take.stopReason}`)}</p>}
      <p className="pre take-text serif">
        <InsertedPart
          text={shownText.slice(begin, insertedEnd)}
          isWhole={take.acceptedLength >= text.length}
        />
        <MarkedText
          text={shownText.slice(insertedEnd)}
          from={insertedEnd}
          words={marksUncertain ? take.uncertain : undefined}
        />
        {shownText.length < text.length && '…'}
      </p>
      {isLong && (
        <button type="button" className="take-fold" onClick={() => setIsUnfolded(!isUnfolded)}>
          {t(isUnfolded ? 'takes.fold' : 'takes.unfold')}
        </button>
      )}
      {isRunning && (
        <div className="take-actions">
          <Meter
            label={t('takes.writing', { name })}
            value={run.figures.maxTokens > 0 ? run.figures.completionTokens / run.figures.maxTokens : null}
          />
          <Button variant="quiet" icon="stop" onClick={() => void stopOne(take.takeId)}>
            {t('action.stop')}
            <span className="visually-hidden">{name}</span>
          </Button>
        </div>
      )}
      {!isRunning && (
        <div className="take-actions">
          <Button variant={isShown ? 'primary' : 'normal'} onClick={() => void insert(take.takeId)}>
            {t('takes.insert')}
          </Button>
          {canCompare && (
            <Button onClick={() => open({ kind: 'compare-take', takeId: take.takeId })}>
              {t('action.compare')}
            </Button>
          )}
          <Button
            variant="quiet"
            aria-pressed={take.state === 'kept'}
            onClick={() => void keep(take.takeId, take.state !== 'kept')}
          >
            {t(take.state === 'kept' ? 'takes.unkeep' : 'takes.keep')}
          </Button>
          <span className="grow" />
          <Menu
            trigger={<IconButton icon="more" label={t('takes.other')} />}
            items={[
              { id: 'prompt', label: t('takes.prompt'), onSelect: () => void showPrompt(take.takeId) },
              {
                id: 'part',
                label: t('takes.part'),
                onSelect: () => open({ kind: 'take-part', takeId: take.takeId }),
              },
              { id: 'copy', label: t('action.copy'), onSelect: copy },
            ]}
          />
        </div>
      )}
    </li>
  )
}

/** Cuts a text to `foldedLength`, but never within a surrogate pair. */
function cut(text: string): string {
  return text.slice(0, foldedLength).replace(/[\uD800-\uDBFF]$/, '')
}

/** The part of a take that is in the manuscript; where that is not all of it, it is marked by a line and by name. */
function InsertedPart({ text, isWhole }: { text: string; isWhole: boolean }) {
  const { t } = useWords()
  if (text === '' || isWhole) return text
  return (
    <mark className="take-inserted" title={t('takes.inText')}>
      <span className="visually-hidden">{t('takes.inTextPart')}</span>
      {text}
    </mark>
  )
}

/** Part of a take's text, which begins at `from` of it, with its uncertain words marked. Units: UTF-16. */
function MarkedText({
  text,
  from,
  words = [],
}: {
  text: string
  from: number
  words?: WordSpan[] | undefined
}) {
  const { t } = useWords()
  const own = words
    .map((word) => ({ from: Math.max(0, word.from - from), to: word.to - from }))
    .filter((word) => word.to > word.from && word.to <= text.length)
  return (
    <>
      {own.map((word, index) => (
        <span key={word.from}>
          {text.slice(own[index - 1]?.to ?? 0, word.from)}
          <span className="take-uncertain" title={t('editor.uncertain')}>
            {text.slice(word.from, word.to)}
          </span>
        </span>
      ))}
      {text.slice(own.at(-1)?.to ?? 0)}
    </>
  )
}
