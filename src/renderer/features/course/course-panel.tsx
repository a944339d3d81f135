import './course-panel.css'
import { type ReactNode, useState } from 'react'
import type { AddedFolder } from '../../../shared/domain/app/added-folder.ts'
import type { CourseItem } from '../../../shared/domain/session/agent-course.ts'
import type { SessionState } from '../../../shared/domain/session/session.ts'
import { positionText } from '../../state/position-words.ts'
import { useApp, useWords } from '../../state/store-context.tsx'
import { Button, IconButton } from '../../ui/button.tsx'
import { Menu } from '../../ui/overlays/menu.tsx'
import { ConfirmDialog } from '../dialogs/dialog.tsx'
import { CourseEntry } from './course-entry.tsx'
import { hasEntry } from './course-text.ts'

const order: readonly CourseItem[] = ['goal', 'whyNow', 'constraints', 'planBrief', 'openQuestions']

/** The brief and the state of the session; each item can be changed in place, and missing items added. */
export function CoursePanel() {
  const { t } = useWords()
  const state = useApp((app) => app.conversation.current?.state ?? null)
  const items = useApp((app) => app.conversation.current?.items ?? none)
  const [added, setAdded] = useState<CourseItem | null>(null)
  if (state === null) return <p className="course-none">{t('course.none')}</p>
  const shown = order.filter((item) => item === added || hasEntry(items, state, item))
  const missing = order.filter((item) => !shown.includes(item))
  const isNew = state.session.messages === 0
  return (
    <section className="course" aria-label={t('course.title')}>
      {isNew && shown.length === 0 && <p className="course-none">{t('course.none')}</p>}
      {shown.map((item) => (
        <CourseEntry
          key={item}
          item={item}
          state={state}
          isNew={item === added}
          onClose={() => setAdded(null)}
        />
      ))}
      {missing.length > 0 && (
        <Menu
          align="start"
          trigger={
            <Button variant="quiet" icon="add" className="course-add">
              {t('course.add')}
            </Button>
          }
          items={missing.map((item) => ({
            id: item,
            label: t(`course.${item}`),
            onSelect: () => setAdded(item),
          }))}
        />
      )}
      <FolderList folders={state.folders} />
      {!isNew && <Position state={state} />}
      <Folded
        name={t('course.log')}
        lines={state.decisionLog.toReversed()}
        action={(line) => !state.learnedPatterns.includes(line) && <PatternButton kind="learn" line={line} />}
      />
      {/* The host proposes them until the user decides. */}
      <Folded
        name={t('course.patterns.proposed')}
        lines={state.proposedPatterns}
        action={(line) => (
          <>
            <PatternButton kind="learn" line={line} />
            <PatternButton kind="decline" line={line} />
          </>
        )}
      />
      <Folded
        name={t('course.patterns')}
        lines={state.learnedPatterns}
        action={(line) => <PatternButton kind="forget" line={line} />}
      />
      {(!isNew || shown.length > 0) && <Reset />}
    </section>
  )
}

function Position({ state }: { state: SessionState }) {
  const { t } = useWords()
  return (
    <dl className="course-position">
      <dt>{t('course.step')}</dt>
      <dd>{positionText(t, state)}</dd>
      <dt>{t('session.mode')}</dt>
      <dd>{t(`session.mode.${state.mode}`)}</dd>
    </dl>
  )
}

type PatternButtonProps = { kind: 'learn' | 'decline' | 'forget'; line: string }

/** Keeps a line for all sessions of the folder, or stops keeping it. */
function PatternButton({ kind, line }: PatternButtonProps) {
  const { t } = useWords()
  const editCourse = useApp((app) => app.conversation.editCourse)
  return (
    <IconButton
      icon={kind === 'learn' ? 'add' : 'close'}
      label={t(`course.${kind}`, { line })}
      onClick={() => void editCourse({ kind, pattern: line })}
    />
  )
}

type FoldedProps = { name: string; lines: readonly string[]; action: (line: string) => ReactNode }

function Folded({ name, lines, action }: FoldedProps) {
  if (lines.length === 0) return null
  return (
    <details className="course-folded">
      <summary>
        {name} <span className="dim">{lines.length}</span>
      </summary>
      <ul>
        {lines.map((line, at) => {
          const key = `${at} ${line}`
          return (
            <li key={key}>
              <span>{line}</span>
              {action(line)}
            </li>
          )
        })}
      </ul>
    </details>
  )
}

/** Asks once more in its place before the reset: the conversation stays, but the brief does not come back. */
function Reset() {
  const { t } = useWords()
  const reset = useApp((app) => app.conversation.reset)
  const [isAsked, setIsAsked] = useState(false)
  if (!isAsked) {
    return (
      <Button variant="quiet" className="course-reset" onClick={() => setIsAsked(true)}>
        {t('course.reset')}
      </Button>
    )
  }
  return (
    <div className="course-ask" role="alert">
      <p>{t('course.reset.ask')}</p>
      <div className="row">
        <Button
          variant="danger"
          onClick={() => {
            setIsAsked(false)
            void reset()
          }}
        >
          {t('course.reset.yes')}
        </Button>
        <Button autoFocus onClick={() => setIsAsked(false)}>
          {t('action.cancel')}
        </Button>
      </div>
    </div>
  )
}

const none: never[] = []

/** Lists the folders in which the session works besides its own; empty without any. */
function FolderList({ folders }: { folders: readonly AddedFolder[] }) {
  const { t } = useWords()
  const choose = useApp((state) => state.folders.choose)
  if (folders.length === 0) return null
  return (
    <section className="course-entry" aria-label={t('folder.list')}>
      <div className="row course-head">
        <h3 className="label grow">{t('folder.list')}</h3>
        <IconButton icon="add" label={t('folder.add')} onClick={() => void choose()} />
      </div>
      <ul className="course-folders">
        {folders.map((folder) => (
          <Folder key={folder.path} folder={folder} />
        ))}
      </ul>
    </section>
  )
}

function Folder({ folder: { path, isTrusted } }: { folder: AddedFolder }) {
  const { t } = useWords()
  const { remove, setTrusted } = useApp((state) => state.folders)
  return (
    <li>
      <span className="course-folder">{path}</span>
      <IconButton icon="close" label={t('folder.remove', { path })} onClick={() => void remove(path)} />
      <span className="course-folder-trust">
        <span className="dim">{t(isTrusted ? 'folder.trusted' : 'folder.untrusted')}</span>
        <Button
          variant="quiet"
          aria-label={t(isTrusted ? 'folder.distrust' : 'folder.trust', { path })}
          onClick={() => void setTrusted(path, !isTrusted)}
        >
          {t(isTrusted ? 'folder.distrust.do' : 'folder.trust.do')}
        </Button>
      </span>
    </li>
  )
}

/** Asks before a reset, where that was not asked in place: the brief does not come back. */
export function ResetDialog() {
  const { t } = useWords()
  const reset = useApp((app) => app.conversation.reset)
  return (
    <ConfirmDialog
      title={t('course.reset')}
      confirmLabel={t('course.reset.yes')}
      onConfirm={() => void reset()}
    >
      {t('course.reset.ask')}
    </ConfirmDialog>
  )
}
