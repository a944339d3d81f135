import { useEffect, useState } from 'react'
import type { ModelRequest } from '../../../shared/domain/model/model-request.ts'
import type { SessionStats } from '../../../shared/domain/session/session.ts'
import type { ErrorInfo } from '../../../shared/errors.ts'
import { durationText } from '../../../shared/i18n/figure-text.ts'
import type { MessageKey, Translate } from '../../../shared/i18n/translate.ts'
import { infoOf } from '../../state/slices/follow.ts'
import { useApp, useAppStore, useWords } from '../../state/store-context.tsx'
import { Button } from '../../ui/button.tsx'
import { Check } from '../../ui/fields/choice-field.tsx'
import { Kbd } from '../../ui/kbd.tsx'
import { Notice } from '../../ui/notice.tsx'
import { ConfirmDialog, Dialog } from '../dialogs/dialog.tsx'

export function RemoveSession({ sessionId }: { sessionId: string }) {
  const { t } = useWords()
  const remove = useApp((state) => state.sessions.remove)
  const title = useApp((state) => state.sessions.list.find((one) => one.sessionId === sessionId)?.title)
  return (
    <ConfirmDialog
      title={t('session.remove')}
      confirmLabel={t('action.remove')}
      onConfirm={() => void remove(sessionId)}
    >
      {t('session.remove.sure', { title: title || t('session.untitled') })}
    </ConfirmDialog>
  )
}

/** Shows the cost of the open session, and each of its requests. */
export function SessionStatsDialog() {
  const { t, errorText } = useWords()
  const store = useAppStore()
  const sessionId = useApp((state) => state.conversation.current?.sessionId)
  const [stats, setStats] = useState<SessionStats | null>(null)
  const [requests, setRequests] = useState<ModelRequest[] | null>(null)
  const [error, setError] = useState<ErrorInfo | null>(null)
  useEffect(() => {
    if (sessionId === undefined) return
    const fail = (failure: unknown) => setError(infoOf(failure))
    store.client['session.stats']({ sessionId }).then(setStats, fail)
    store.client['session.requests']({ sessionId }).then((answer) => setRequests(answer.requests), fail)
  }, [store, sessionId])
  const fact = (name: Exclude<keyof SessionStats, 'modelMs'>) => (
    <Fact
      key={name}
      name={t(`session.stats.${name}`)}
      value={t('unit.count', { count: stats?.[name] ?? 0 })}
    />
  )
  return (
    <Dialog title={t('session.stats')} size="small">
      {error && <Notice tone="bad">{errorText(error)}</Notice>}
      {stats && (
        <dl className="session-facts">
          {(['turns', 'requests', 'promptTokens', 'reusedTokens', 'completionTokens'] as const).map(fact)}
          <Fact name={t('session.stats.modelMs')} value={durationText(t, stats.modelMs)} />
          {(['calls', 'failedCalls', 'changedFiles'] as const).map(fact)}
        </dl>
      )}
      {requests && <RequestList requests={requests} />}
    </Dialog>
  )
}

function Fact({ name, value }: { name: string; value: string }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </>
  )
}

const slashes = ['model', 'stats', 'mode', 'compact', 'clear', 'undo', 'add-dir', 'export', 'help'] as const
/** The arguments of the commands, as the help shows them. */
const more = { model: ' [--fast] …', mode: ' …', 'add-dir': ' …' }
const keys: { keys: string[]; key: Extract<MessageKey, `session.keys.${string}`> }[] = [
  { keys: ['@'], key: 'session.keys.reference' },
  { keys: ['Enter'], key: 'session.keys.send' },
  { keys: ['Shift', 'Enter'], key: 'session.keys.newline' },
  { keys: ['Ctrl', 'Enter'], key: 'session.keys.steer' },
  { keys: ['Alt', 'Enter'], key: 'session.keys.beside' },
  { keys: ['Alt', 'M'], key: 'session.keys.mode' },
  { keys: ['Esc'], key: 'session.keys.stop' },
  { keys: ['↑'], key: 'session.keys.recall' },
  { keys: ['Tab'], key: 'session.keys.suggestion' },
  { keys: ['Enter'], key: 'session.keys.suggestionSend' },
  { keys: ['Ctrl', '→'], key: 'session.keys.suggestionWord' },
]

export function SlashHelp() {
  const { t } = useWords()
  return (
    <Dialog title={t('slash.help')}>
      <dl className="session-facts session-help">
        {slashes.map((name) => (
          <Fact
            key={name}
            name={t(`slash.${name}`)}
            value={`/${name}${name in more ? more[name as keyof typeof more] : ''}`}
          />
        ))}
        {keys.map((one) => (
          <div key={one.key} className="facts-pair">
            <dt>{t(one.key)}</dt>
            <dd>
              <Kbd keys={one.keys} />
            </dd>
          </div>
        ))}
      </dl>
    </Dialog>
  )
}

/** Lists the session's requests, newest first; those in the background only where the user wants to see them. */
function RequestList({ requests }: { requests: readonly ModelRequest[] }) {
  const { t } = useWords()
  const [hasBackground, setHasBackground] = useState(false)
  const shown = requests.filter(({ isBackground }) => hasBackground || !isBackground)
  return (
    <section className="request-log" aria-label={t('requests.title')}>
      <div className="row">
        <h3 className="label grow">{t('requests.title')}</h3>
        <Check className="row small" checked={hasBackground} onChange={setHasBackground}>
          {t('requests.background')}
        </Check>
      </div>
      {shown.length === 0 ? (
        <p className="dim">{t(requests.length === 0 ? 'requests.none' : 'requests.noneShown')}</p>
      ) : (
        <p className="small dim">{t('requests.hint')}</p>
      )}
      <ol className="ruled" aria-label={t('requests.title')}>
        {shown.map((request) => (
          <Request key={request.requestId} request={request} />
        ))}
      </ol>
    </section>
  )
}

function Request({ request }: { request: ModelRequest }) {
  const { t, language } = useWords()
  const { purpose, at, end, ms, modelName, isBackground } = request
  const ended = end === 'finished' ? '' : t(`requests.end.${end}`)
  const facts = [ended, modelName, tokensText(t, request), durationText(t, ms)].filter((fact) => fact !== '')
  return (
    <li className="request">
      <p className="request-head">
        <span className={isBackground ? 'dim' : undefined}>{t(`requests.purpose.${purpose}`)}</span>
        <time className="small dim" dateTime={new Date(at).toISOString()}>
          {new Date(at).toLocaleTimeString(language, { timeStyle: 'medium' })}
        </time>
      </p>
      <ul className="facts-line small dim">
        {facts.map((fact) => (
          <li key={fact}>{fact}</li>
        ))}
      </ul>
    </li>
  )
}

function tokensText(t: Translate, { promptTokens, reusedTokens, completionTokens }: ModelRequest): string {
  const values = { prompt: promptTokens, written: completionTokens }
  return reusedTokens === null
    ? t('requests.tokensUnknown', values)
    : t('requests.tokens', { ...values, reused: reusedTokens })
}

/** Asks before a session works in one more folder: where that really is, what it means, and whether to trust it. */
export function AddFolder() {
  const { t, errorText } = useWords()
  const close = useApp((state) => state.ui.close)
  const { assessed, isBusy, error, add } = useApp((state) => state.folders)
  const [isTrusted, setIsTrusted] = useState(false)
  const problem = assessed?.problem ?? null
  const submit = async () => {
    if (await add(assessed?.isTrusted === true ? null : isTrusted || null)) close()
  }
  return (
    <Dialog
      title={t('folder.add')}
      size="small"
      footer={
        <>
          <Button onClick={close}>{t('action.cancel')}</Button>
          <Button
            variant="primary"
            disabled={assessed === null || problem !== null || isBusy}
            onClick={() => void submit()}
          >
            {t('folder.add.do')}
          </Button>
        </>
      }
    >
      <div className="add-folder">
        {assessed === null && error === null && <p className="dim">{t('loading')}</p>}
        {assessed && <p className="add-folder-path">{assessed.path}</p>}
        {assessed && problem !== null && (
          <Notice tone="bad">{errorText({ code: 'folder/refused', path: assessed.path, problem })}</Notice>
        )}
        {assessed && problem === null && (
          <>
            <p>{t('folder.add.text')}</p>
            {assessed.isTrusted ? (
              <p className="dim small">{t('folder.add.isTrusted')}</p>
            ) : (
              <Check className="add-folder-trust" checked={isTrusted} onChange={setIsTrusted}>
                <span>
                  {t('folder.add.trust')}
                  <span className="dim small">{t('folder.add.trust.hint')}</span>
                </span>
              </Check>
            )}
          </>
        )}
        {error && <Notice tone="bad">{errorText(error)}</Notice>}
      </div>
    </Dialog>
  )
}
