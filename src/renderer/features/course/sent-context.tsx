import './sent-context.css'
import { useEffect, useState } from 'react'
import type { ContextMeter, SentMessage } from '../../../shared/domain/session/session.ts'
import type { ErrorInfo } from '../../../shared/errors.ts'
import { isMessageKey, type Translate } from '../../../shared/i18n/translate.ts'
import { infoOf } from '../../state/slices/follow.ts'
import { useApp, useAppStore, useWords } from '../../state/store-context.tsx'
import { Button } from '../../ui/button.tsx'
import { type BarPart, ContextBar } from '../../ui/context-bar.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Verbatim } from '../../ui/verbatim.tsx'

/** Exactly what the model was sent last, message by message, and what fills its context. */
export function SentContext() {
  const { t, errorText } = useWords()
  const meter = useApp((app) => app.conversation.current?.state?.context ?? null)
  const { messages, error, isLoading, load } = useSent()
  return (
    <section className="sent" aria-label={t('sent.title')}>
      <div className="row">
        <h2 className="label grow">{t('sent.title')}</h2>
        <Button variant="quiet" disabled={isLoading} onClick={load}>
          {t('sent.refresh')}
        </Button>
      </div>
      {error && <Notice tone="bad">{errorText(error)}</Notice>}
      {meter && <Figures meter={meter} />}
      {messages?.length === 0 && <p className="sent-none">{t('sent.none')}</p>}
      <ol className="sent-list ruled">
        {messages?.map((message, at) => {
          const key = `${at} ${message.role}`
          return <Sent key={key} message={message} />
        })}
      </ol>
    </section>
  )
}

/** Loads the sent messages when the view opens, and again after each request of the session. */
function useSent() {
  const { client } = useAppStore()
  const sessionId = useApp((app) => app.conversation.current?.sessionId ?? null)
  const meter = useApp((app) => app.conversation.current?.state?.context ?? null)
  const [messages, setMessages] = useState<SentMessage[] | null>(null)
  const [error, setError] = useState<ErrorInfo | null>(null)
  const [count, setCount] = useState(0)
  const [isLoading, setIsLoading] = useState(false)

  // biome-ignore lint/correctness/useExhaustiveDependencies: another meter is another request, a count a wish
  useEffect(() => {
    if (sessionId === null) return
    const controller = new AbortController()
    const { signal } = controller
    setIsLoading(true)
    client['session.context']({ sessionId }, { signal })
      .then(
        (answer) => {
          if (signal.aborted) return
          setMessages(answer.messages)
          setError(null)
        },
        (failure) => !signal.aborted && setError(infoOf(failure)),
      )
      .finally(() => !signal.aborted && setIsLoading(false))
    return () => controller.abort()
  }, [client, sessionId, meter, count])

  return { messages, error, isLoading, load: () => setCount(count + 1) }
}

function Figures({ meter }: { meter: ContextMeter }) {
  const { t } = useWords()
  const { usedTokens: used, limitTokens: limit } = meter
  return (
    <div className="card">
      <ContextBar
        figures={limit === null ? t('sent.totalOpen', { used }) : t('sent.total', { used, limit })}
        estimate={meter.isEstimate ? t('context.estimate') : null}
        parts={contextParts(meter, t)}
        total={Math.max(limit ?? used, used)}
      >
        <Layers meter={meter} />
        <Reuse meter={meter} />
        <WindowSource meter={meter} />
      </ContextBar>
    </div>
  )
}

/** A message folded to its first words; invisible characters are shown by their codes. */
function Sent({ message: { role, kind, text, tokens } }: { message: SentMessage }) {
  const { t } = useWords()
  const [isOpen, setIsOpen] = useState(false)
  const kinds = kind.split('+').map((name) => {
    const key = `sent.kind.${name}`
    return isMessageKey(key) ? t(key) : name
  })
  return (
    <li>
      <details onToggle={(event) => setIsOpen(event.currentTarget.open)}>
        <summary>
          <Icon name="chevron" size={12} />
          <span className="sent-role">{t(`sent.role.${authorOf(role, kind)}`)}</span>
          <span className="grow clip dim">{kinds.join(' · ')}</span>
          {tokens !== null && <span className="dim">{t('sent.tokens', { count: tokens })}</span>}
        </summary>
        {isOpen && (
          <pre className="sent-text">
            <Verbatim text={text} />
          </pre>
        )}
      </details>
    </li>
  )
}

/** Says where the context window comes from when the server did not tell it, with the way to set it. */
function WindowSource({ meter: { limitTokens: count, limitSource } }: { meter: ContextMeter }) {
  const { t } = useWords()
  const open = useApp((state) => state.ui.open)
  if (count === null || (limitSource !== 'assumed' && limitSource !== 'name')) return null
  return (
    <p className="row context-window-source">
      <span className="grow">{t(`context.window.${limitSource}`, { count })}</span>
      <Button variant="quiet" onClick={() => open({ kind: 'settings', section: 'models' })}>
        {t('context.window.set')}
      </Button>
    </p>
  )
}

/** The part of the context that the model has read already; nothing where the model does not report it. */
function Reuse({ meter: { usedTokens, reusedTokens: reused } }: { meter: ContextMeter }) {
  const { t } = useWords()
  if (reused === null) return null
  return <p>{t('context.reuse', { reused, fresh: Math.max(0, usedTokens - reused) })}</p>
}

/** How much of its budget each layer of the prompt uses, and what had no room in it. */
function Layers({ meter: { layers } }: { meter: ContextMeter }) {
  const { t } = useWords()
  return (
    <ul className="context-layers" aria-label={t('sent.layers')}>
      {layers.map(({ layer, usedTokens: used, budgetTokens: budget, leftOut }) => (
        <li key={layer}>
          {t('sent.layer', { name: t(`sent.layer.${layer}`), used, budget })}
          {used > budget && <strong> {t('sent.layer.over')}</strong>}
          {leftOut.map(({ item, count }) => (
            <span key={item} className="dim">
              {' '}
              {t('sent.leftOut', { name: t(`notice.item.${item}`), count })}
            </span>
          ))}
        </li>
      ))}
    </ul>
  )
}

type PartKind = ContextMeter['parts'][number]['kind']
type Group = 'head' | 'talk' | 'material' | 'course'

/** The bar's colours: instructions plain, conversation grey, files and results indigo, the brief as text. */
const colours: Record<Group, BarPart['colour']> = {
  head: 'ink2',
  talk: 'body',
  material: 'info',
  course: 'ink',
}

const groups: Record<PartKind, Group> = {
  base: 'head',
  tools: 'head',
  instructions: 'head',
  summary: 'talk',
  messages: 'talk',
  files: 'material',
  results: 'material',
  blocks: 'course',
}

/** Returns the parts that fill the context, in the order in which they are sent. */
export function contextParts(meter: ContextMeter, t: Translate): BarPart[] {
  return meter.parts.flatMap(({ kind, tokens }) => {
    if (tokens <= 0) return []
    const label = t('sent.part', { name: t(`sent.part.${kind}`), count: tokens })
    return [{ id: kind, label, amount: tokens, colour: colours[groups[kind]] }]
  })
}

/** Returns who wrote a message: many models get the messages of Tsugi and its tools in the role of the user. */
function authorOf(role: SentMessage['role'], kind: string): SentMessage['role'] | 'app' {
  const kinds = kind.split('+')
  if (role !== 'user' || kinds.includes('message')) return role
  return kinds.includes('result') ? 'tool' : 'app'
}
