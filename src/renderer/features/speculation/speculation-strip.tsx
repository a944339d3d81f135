import './speculation-strip.css'
import { type ComponentType, type RefObject, useEffect, useRef } from 'react'
import type { GateView } from '../../../shared/domain/session/gate.ts'
import type { SessionItem } from '../../../shared/domain/session/session-item.ts'
import type {
  SpeculationBoundary,
  SpeculationDecision,
  SpeculationEnded,
  SpeculationLinkState,
} from '../../../shared/domain/session/speculation.ts'
import type { ChangedFile } from '../../../shared/domain/session/tool-result.ts'
import { isMessageKey, type MessageKey, type Translate } from '../../../shared/i18n/translate.ts'
import { speculationLink, speculationQuestion } from '../../state/slices/session/speculation-slice.ts'
import { useApp, useAppStore, useWords } from '../../state/store-context.tsx'
import { Button } from '../../ui/button.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Pieces } from '../../ui/verbatim.tsx'
import { modeWords } from '../diff/file-diff.tsx'
import { SpeculationConflicts } from './speculation-conflicts.tsx'
import { SpeculationPreview } from './speculation-preview.tsx'

type SpeculationStripProps = {
  Gate: ComponentType<{ gate: GateView }>
  /** Shows the conversation of the speculation. */
  Items: ComponentType<{ items: readonly SessionItem[] }>
}

/** Shows the state of a speculation beside its suggestion: its acceptance, where it stopped, why it failed. */
export function SpeculationStrip({ Gate, Items }: SpeculationStripProps) {
  const { t } = useWords()
  const link = useApp(speculationLink)
  const isOffered = useApp(({ suggestion }) => suggestion.current.text === link?.text)
  const ended = useApp((state) => state.speculation.current.ended)
  const previewed = useApp((state) => state.speculation.preview?.speculationId)
  const isAsking = useApp((state) => speculationQuestion(state) !== null)
  const card = useRef<HTMLElement>(null)
  useWantedFocus(card, isAsking)
  if (link === null) return ended === null ? null : <Ended ended={ended} />
  const { accepting, failure, phase, text, modelName } = link
  const isRead = previewed === link.speculationId
  if (!isRead && isOffered && accepting === null && failure === null && phase !== 'boundary') return null
  return (
    <section
      ref={card}
      className={isAsking ? 'speculation-strip speculation-strip-asking' : 'speculation-strip'}
      aria-label={t('speculation.strip')}
      tabIndex={isAsking ? -1 : undefined}
    >
      <header className="row">
        <b role="status">{t(stateKey(link))}</b>
        <span className="grow clip dim">
          <Pieces text={text} />
        </span>
        <span className="label">{modelName}</span>
      </header>
      {isRead ? (
        <SpeculationPreview link={link} Items={Items} />
      ) : (
        accepting?.step !== 'gate' && accepting?.step !== 'conflicts' && <Files files={link.files} />
      )}
      {link.boundary && <Boundary boundary={link.boundary} speculationId={link.speculationId} />}
      <Step link={link} isOffered={isOffered && !isRead} Gate={Gate} />
    </section>
  )
}

/** Gives the focus to the strip while it asks a question, once the user wants to answer. */
function useWantedFocus(card: RefObject<HTMLElement | null>, isAsking: boolean): void {
  const isWanted = useApp((state) => state.gates.isFrontWanted)
  const wantFront = useApp((state) => state.gates.wantFront)
  useEffect(() => {
    if (!isWanted || !isAsking) return
    card.current?.focus()
    wantFront(false)
  }, [isWanted, isAsking, wantFront, card])
}

/** A speculation that ended before the user decided on it: the reason, and a button that runs it again. */
function Ended({ ended }: { ended: SpeculationEnded }) {
  const { t, errorText } = useWords()
  const store = useAppStore()
  const { rerun, reject } = useApp((state) => state.speculation)
  const { speculationId, text, reason, error } = ended
  const key = `speculation.ended.${reason}`
  const why = isMessageKey(key) ? t(key) : t('speculation.ended.other', { reason: reasonWord(t, reason) })
  const press = (act: (id: string) => Promise<boolean>) => () => {
    store.messageBox.current?.focus()
    void act(speculationId)
  }
  return (
    <section className="speculation-strip" aria-label={t('speculation.strip')}>
      <header className="row">
        <b role="status">{t('speculation.ended.title')}</b>
        <span className="grow clip dim">
          <Pieces text={text} />
        </span>
      </header>
      <p>
        {why} {error !== null && errorText(error)}
      </p>
      <div className="row wrap speculation-actions">
        <Button variant="primary" onClick={press(rerun)}>
          {t('speculation.rerun')}
        </Button>
        <Button variant="quiet" onClick={press(reject)}>
          {t('action.close')}
        </Button>
      </div>
    </section>
  )
}

function reasonWord(t: Translate, reason: string): string {
  const key = `suggestion.reason.${reason}`
  return isMessageKey(key) ? t(key) : reason
}

/** True where a speculation did not stop at a call, so that running it again may bring it further. */
function mayRunOn({ boundary }: SpeculationLinkState): boolean {
  return boundary !== null && ['budget', 'interrupted', 'empty'].includes(boundary.kind)
}

function stateKey({ accepting, phase }: SpeculationLinkState): MessageKey {
  if (accepting !== null) return `speculation.step.${accepting.step}`
  return phase === 'accepting' ? 'speculation.step.finishing' : `speculation.phase.${phase}`
}

function Files({ files }: { files: readonly ChangedFile[] }) {
  const { t } = useWords()
  return (
    <ul className="speculation-list">
      {files.map(({ path, to, addedLines, removedLines, mode }) => (
        <li key={path} className="row">
          <code className="clip">
            <Pieces text={to === null ? path : `${path} → ${to}`} />
          </code>
          <span className="dim">
            {[
              t('gate.file.lines', { added: addedLines, removed: removedLines }),
              ...modeWords(t, { mode }),
            ].join(' · ')}
          </span>
        </li>
      ))}
    </ul>
  )
}

type StepProps = Pick<SpeculationStripProps, 'Gate'> & { link: SpeculationLinkState; isOffered: boolean }

function Step({ link, isOffered, Gate }: StepProps) {
  const { t, errorText } = useWords()
  const store = useAppStore()
  const { accept, decide, reject, rerun } = useApp((state) => state.speculation)
  const { accepting, failure, speculationId } = link
  const press = (act: (id: string) => Promise<boolean>) => {
    store.messageBox.current?.focus()
    void act(speculationId)
  }
  const say = (decision: SpeculationDecision) => press((id) => decide(id, decision))
  switch (accepting?.step) {
    case 'finishing':
    case 'planning':
    case 'committing':
      return null
    case 'stale':
      return (
        <>
          <p>
            {t(accepting.hasMore ? 'speculation.stale.many' : 'speculation.stale', {
              paths: accepting.paths,
            })}
          </p>
          <div className="row wrap speculation-actions">
            <Button variant="primary" onClick={() => say({ kind: 'go-on' })}>
              {t('speculation.goOn')}
            </Button>
            <Button onClick={() => say({ kind: 'rerun' })}>{t('speculation.rerun')}</Button>
            <Button variant="quiet" onClick={() => say({ kind: 'cancel' })}>
              {t('action.cancel')}
            </Button>
          </div>
        </>
      )
    case 'conflicts':
      return <SpeculationConflicts files={accepting.files} onDecide={say} />
    case 'gate':
      return (
        <>
          <Gate key={accepting.gate.gateId} gate={accepting.gate} />
          <div className="row wrap speculation-actions">
            <Button variant="quiet" onClick={() => say({ kind: 'cancel' })}>
              {t('speculation.later')}
            </Button>
          </div>
        </>
      )
    case undefined:
      return (
        <>
          {failure && <Notice tone="bad">{errorText(failure)}</Notice>}
          {(failure !== null || mayRunOn(link) || !isOffered) && (
            <div className="row wrap speculation-actions">
              <Button onClick={() => press(accept)}>{t('speculation.accept')}</Button>
              {(failure !== null || mayRunOn(link)) && (
                <Button onClick={() => press(rerun)}>{t('speculation.rerun')}</Button>
              )}
              <Button variant="quiet" onClick={() => press(reject)}>
                {t('speculation.drop')}
              </Button>
            </div>
          )}
        </>
      )
  }
}

type BoundaryProps = { boundary: SpeculationBoundary; speculationId: string }

/** The step at which a speculation stopped: it follows after the acceptance, as any other step does. */
function Boundary({ boundary: { kind, title, copy }, speculationId }: BoundaryProps) {
  const { t } = useWords()
  return (
    <>
      <p className="speculation-boundary dim">
        {t(`speculation.boundary.${kind}`)}
        {title !== '' && (
          <>
            {' '}
            <code>
              <Pieces text={title} />
            </code>
          </>
        )}
      </p>
      {copy !== undefined && <CopyHint copy={copy} speculationId={speculationId} />}
    </>
  )
}

type CopyHintProps = { copy: NonNullable<SpeculationBoundary['copy']>; speculationId: string }

/** Says why the command was not run in a copy, with the press that changes it. */
function CopyHint({ copy, speculationId }: CopyHintProps) {
  const { t } = useWords()
  const store = useAppStore()
  const { setSandboxed } = useApp((state) => state.consent)
  const { rerun } = useApp((state) => state.speculation)
  const open = useApp((state) => state.ui.open)
  const turnOn = async (): Promise<void> => {
    store.messageBox.current?.focus()
    await setSandboxed(true)
    await rerun(speculationId)
  }
  return (
    <div className="row wrap speculation-actions">
      <p className="grow small dim">{t(`speculation.copy.${copy}`)}</p>
      {copy === 'off' && (
        <Button variant="quiet" onClick={() => void turnOn()}>
          {t('speculation.copy.turnOn')}
        </Button>
      )}
      {copy === 'missing' && (
        <Button variant="quiet" onClick={() => open({ kind: 'settings', section: 'rules' })}>
          {t('speculation.copy.why')}
        </Button>
      )}
    </div>
  )
}
