import './session-page.css'
import { useMemo } from 'react'
import { AuditLog } from './features/consent/audit-log.tsx'
import { TrustNotice, UnreadRulesNotice } from './features/consent/consent-notices.tsx'
import type { AnswerFieldProps } from './features/conversation/cards/question-card.tsx'
import { Conversation } from './features/conversation/conversation.tsx'
import { ItemList } from './features/conversation/conversation-row.tsx'
import { CoursePanel } from './features/course/course-panel.tsx'
import { SentContext } from './features/course/sent-context.tsx'
import { GateCard, StagedGate } from './features/gates/gate-card.tsx'
import { AnswerField } from './features/message-box/answer-field.tsx'
import { MessageBox } from './features/message-box/message-box.tsx'
import { ModelSetup } from './features/models/model-setup.tsx'
import { ProjectFiles } from './features/sessions/project-files.tsx'
import { SessionEmpty } from './features/sessions/session-empty.tsx'
import { SessionList } from './features/sessions/session-list.tsx'
import { SpeculationStrip } from './features/speculation/speculation-strip.tsx'
import type { SessionTab } from './state/slices/ui-slice.ts'
import { useApp, useWords } from './state/store-context.tsx'
import { Button } from './ui/button.tsx'
import { Notice } from './ui/notice.tsx'
import { Tabs } from './ui/tabs.tsx'

/** The middle of a session: what was said, and the box to say more. */
export function SessionPage({ cspNonce }: { cspNonce: string | undefined }) {
  const { t, errorText } = useWords()
  const view = useApp((state) => state.conversation.current)
  const open = useApp((state) => state.conversation.open)
  const close = useApp((state) => state.conversation.close)
  const OwnAnswer = useMemo(
    () => (props: AnswerFieldProps) => <AnswerField cspNonce={cspNonce} {...props} />,
    [cspNonce],
  )
  const empty = <SessionEmpty modelSetup={<ModelSetup />} />
  return (
    <main className="session-page" aria-label={t('session.region')}>
      <TrustNotice />
      <UnreadRulesNotice />
      {view === null && <div className="conversation conversation-empty">{empty}</div>}
      {view?.status === 'loading' && (
        <p className="session-loading late" role="status">
          {t('loading')}
        </p>
      )}
      {view?.status === 'failed' && view.error && (
        <div className="session-loading">
          <Notice
            tone="bad"
            actions={
              <>
                <Button onClick={() => open(view.sessionId)}>{t('action.tryAgain')}</Button>
                <Button onClick={close}>{t('action.close')}</Button>
              </>
            }
          >
            {errorText(view.error)}
          </Notice>
        </div>
      )}
      {view?.status === 'ready' && (
        <Conversation
          key={view.sessionId}
          view={view}
          GateCard={GateCard}
          AnswerField={OwnAnswer}
          empty={empty}
        />
      )}
      {view?.status === 'ready' && <SpeculationStrip Gate={StagedGate} Items={ItemList} />}
      <MessageBox cspNonce={cspNonce} />
    </main>
  )
}

/** Left pane of a session: conversations, and what they are about. */
export function SessionFiles() {
  return (
    <div className="session-pane">
      <SessionList />
      <ProjectFiles />
    </div>
  )
}

const tabs: { value: SessionTab; Content: () => React.ReactNode }[] = [
  { value: 'course', Content: CoursePanel },
  { value: 'sent', Content: SentContext },
  { value: 'audit', Content: AuditLog },
]

/** Right pane of a session: its course, what the model was sent, what was allowed. */
export function SessionSide() {
  const { t } = useWords()
  const tab = useApp((state) => state.ui.sessionTab)
  const showTab = useApp((state) => state.ui.showSessionTab)
  return (
    <aside className="side session-side" aria-label={t('session.side')}>
      <Tabs
        label={t('session.side')}
        value={tab}
        onChange={showTab}
        tabs={tabs.map(({ value, Content }) => ({
          value,
          label: t(`session.tab.${value}`),
          content: <Content />,
        }))}
      />
    </aside>
  )
}
