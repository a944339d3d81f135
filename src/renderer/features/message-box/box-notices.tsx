import { useEffect, useState } from 'react'
import { segmentsText } from '../../../shared/domain/session/message-segment.ts'
import { shownPause } from '../../state/slices/session/suggestion-slice.ts'
import { useSpeculationHindrance } from '../../state/speculation/use-speculation-switch.ts'
import { useApp, useWords } from '../../state/store-context.tsx'
import { Button } from '../../ui/button.tsx'
import { Verbatim } from '../../ui/verbatim.tsx'
import { Dialog } from '../dialogs/dialog.tsx'

/** Messages that wait for the running turn; each can be taken back into the box. */
export function QueuedMessages() {
  const { t, errorText } = useWords()
  const queue = useApp((state) => state.conversation.current?.state?.queue)
  const isHeld = useApp((state) => state.conversation.current?.state?.isQueueHeld ?? false)
  const { takeBack, sendQueued } = useApp((state) => state.composer)
  const isBoxFree = useApp(({ conversation, composer, unsent, references }) => {
    const written = unsent.byKey[conversation.current?.sessionId ?? ''] ?? []
    return written.length === 0 && composer.editing === null && references.secrets === null
  })
  const refused = queue?.find(({ refusal }) => refusal !== undefined)?.messageId
  // Puts a message that could not be sent back into the box, unless the box is in use.
  useEffect(() => {
    if (refused !== undefined && isBoxFree) void takeBack(refused)
  }, [refused, isBoxFree, takeBack])
  if (!queue || queue.length === 0) return null
  return (
    <>
      <ul className="queued" aria-label={t('session.queued')}>
        {queue.map(({ messageId, segments, refusal }) => (
          <li key={messageId} className="row">
            <span className="label">
              {t(refusal ? 'session.refused' : isHeld ? 'session.held' : 'session.waits')}
            </span>
            <span className="grow clip">{segmentsText(segments)}</span>
            {refusal && <span className="queued-reason">{errorText(refusal)}</span>}
            <Button variant="quiet" onClick={() => void takeBack(messageId)}>
              {t('session.takeBack')}
            </Button>
          </li>
        ))}
      </ul>
      {isHeld && (
        <div className="row small queued-held" role="status">
          <p className="grow">{t('session.held.hint')}</p>
          <Button onClick={() => void sendQueued()}>{t('session.sendQueued')}</Button>
        </div>
      )}
    </>
  )
}

/** Says that suggestions have stopped because of their cost, with the way to have them again. */
export function PausedSuggestions() {
  const { t } = useWords()
  const pause = useApp(shownPause)
  const { resume, hidePause } = useApp((state) => state.suggestion)
  if (pause === null) return null
  return (
    <div className="paused-suggestions" role="status">
      <p className="grow">{t(`suggestion.ghost.${pause}`)}</p>
      <Button variant="quiet" onClick={() => void resume()}>
        {t('suggestion.resume')}
      </Button>
      <Button variant="quiet" onClick={hidePause}>
        {t('suggestion.ghost.hide')}
      </Button>
    </div>
  )
}

/** Says why no speculation runs although the user wants it, with the press that changes it. */
export function SpeculationHindrance() {
  const { t } = useWords()
  const hindrance = useSpeculationHindrance()
  const [hidden, setHidden] = useState<string | null>(null)
  if (hindrance === null || hindrance.kind === hidden) return null
  const { kind, text, label, act } = hindrance
  return (
    <div className="paused-suggestions" role="status">
      <p className="grow">{text}</p>
      <Button variant="quiet" onClick={act}>
        {label}
      </Button>
      <Button variant="quiet" onClick={() => setHidden(kind)}>
        {t('suggestion.ghost.hide')}
      </Button>
    </div>
  )
}

/** Asks which of the secrets that a message names are attached. Closing it sends nothing. */
export function SecretDialog({ paths }: { paths: readonly string[] }) {
  const { t } = useWords()
  const answer = useApp((state) => state.references.answerSecrets)
  const [leftOut, setLeftOut] = useState<readonly string[]>([])
  const allowed = paths.filter((path) => !leftOut.includes(path))
  return (
    <Dialog
      title={t('reference.secret.title')}
      description={t('reference.secret.text')}
      size="small"
      closeLabel={t('action.cancel')}
      onClose={() => answer(null)}
      footer={
        <>
          <Button autoFocus onClick={() => answer(null)}>
            {t('action.cancel')}
          </Button>
          <Button onClick={() => answer([])}>{t('reference.secret.leaveOut')}</Button>
          <Button disabled={allowed.length === 0} onClick={() => answer(allowed)}>
            {t('reference.secret.allow')}
          </Button>
        </>
      }
    >
      <ul className="secret-files">
        {paths.map((path) => (
          <li key={path}>
            {paths.length === 1 ? (
              <Verbatim text={path} />
            ) : (
              <label className="row">
                <input
                  type="checkbox"
                  checked={!leftOut.includes(path)}
                  onChange={({ target }) =>
                    setLeftOut(target.checked ? leftOut.filter((one) => one !== path) : [...leftOut, path])
                  }
                />
                <Verbatim text={path} />
              </label>
            )}
          </li>
        ))}
      </ul>
    </Dialog>
  )
}
