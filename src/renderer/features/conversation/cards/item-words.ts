import type { AgentNotice } from '../../../../shared/domain/session/agent-notice.ts'
import type { SessionState } from '../../../../shared/domain/session/session.ts'
import type { CallItem, SessionItem } from '../../../../shared/domain/session/session-item.ts'
import { toolTraits } from '../../../../shared/domain/session/tool-name.ts'
import { durationText } from '../../../../shared/i18n/figure-text.ts'
import type { Translate } from '../../../../shared/i18n/translate.ts'

export function noticeText(t: Translate, notice: AgentNotice): string {
  switch (notice.kind) {
    case 'step-refused':
      return t(`notice.step-refused.${notice.why}`, {
        from: t(`course.step.${notice.from}`),
        to: t(`course.step.${notice.to}`),
      })
    case 'check-failed':
      return t(`notice.check-failed.${notice.check}`, { reason: notice.reason })
    case 'clipped':
      return t('notice.clipped', { item: t(`notice.item.${notice.item}`) })
    case 'course-proposed':
      return t('notice.course-proposed', {
        item: t(`notice.item.${notice.item}`),
        value: [notice.value].flat().join(' / '),
      })
    case 'plan-mode-left':
      return t('notice.plan-mode-left', { mode: t(`session.mode.${notice.mode}`) })
    case 'limit':
      return t(`notice.limit.${notice.limit}`)
    default:
      return t(`notice.${notice.kind}`, { ...notice })
  }
}

export function callName(t: Translate, { state, tool, name, check }: CallItem): string {
  const isRunning = state === 'running'
  if (check !== undefined) return t(isRunning ? 'conversation.check.now' : 'conversation.check')
  return tool === null ? name : t(`conversation.${isRunning ? 'now' : 'tool'}.${tool}`)
}

/** Returns the result of a call, in a few words at the end of its line. */
export function callSummary(t: Translate, item: CallItem): string {
  const { check, state, view } = item
  // The command has run in a copy: its changes, or running it outside, are asked about.
  const asked = state === 'asked' && view?.kind === 'command' ? t('conversation.call.state.asked') : ''
  const checked = check === undefined || check === 'due' ? '' : t(`conversation.check.${check}`)
  return [checked, summaryOf(t, item), asked].filter(Boolean).join(' · ')
}

function summaryOf(t: Translate, item: CallItem): string {
  if (item.offer !== undefined) return t('conversation.call.outside')
  if (item.outcome !== null && item.state !== 'done') return t(`outcome.${item.outcome}`)
  const { view } = item
  switch (view?.kind) {
    case 'file': {
      const lines = Math.max(0, view.to - view.from + 1)
      return lines < view.totalLines
        ? t('conversation.call.linesOf', { from: view.from, to: view.to, total: view.totalLines })
        : t('conversation.call.lines', { count: lines })
    }
    case 'image':
      return t('conversation.call.image', { width: view.image.width, height: view.image.height })
    case 'page':
      return view.title
    case 'entries':
      return t('conversation.call.entries', { count: view.count })
    case 'matches':
      return t('conversation.call.matches', { count: view.count, files: view.files })
    case 'change': {
      const added = view.files.reduce((sum, file) => sum + file.addedLines, 0)
      const removed = view.files.reduce((sum, file) => sum + file.removedLines, 0)
      const change = `+${added} −${removed}`
      return view.refusedHunks === 0
        ? change
        : `${change} · ${t('conversation.call.refusedHunks', { count: view.refusedHunks })}`
    }
    case 'command':
      if (view.end === 'exited' && view.exitCode === 0) {
        return durationText(t, view.durationMs)
      }
      if (view.ended?.end === 'exited') {
        const code = view.ended.exitCode ?? 0
        return code === 0 ? t('conversation.call.ended') : t('conversation.call.endedWith', { code })
      }
      if (view.ended !== undefined) return t(`conversation.call.end.${view.ended.end}`)
      return view.end === 'exited'
        ? t('conversation.call.exit', { code: view.exitCode ?? 0 })
        : t(`conversation.call.end.${view.end}`)
    default:
      return item.state === 'done' ? '' : t(`conversation.call.state.${item.state}`)
  }
}

/** True where a failed turn had no effect and can be sent again: nothing followed, ran, runs or waits. */
export function canAskAgain(
  error: SessionItem,
  items: readonly SessionItem[],
  state: Pick<SessionState, 'activity' | 'queue'> | null | undefined,
): boolean {
  const isLast = items.at(-1)?.itemId === error.itemId
  const hasWorked = items.some((one) => one.turn === error.turn && one.kind === 'call')
  const isQuiet = state?.activity === null && state.queue.length === 0
  return isLast && !hasWorked && error.turn > 0 && isQuiet
}

export function callTitle(t: Translate, { tool, title }: CallItem): string {
  const isFolder = tool !== null && toolTraits[tool].shows === 'folder'
  return isFolder && (title === '' || title === '.') ? t('conversation.call.here') : title
}

/** Returns the arguments as the model wrote them, by their names; null where they are no JSON object. */
export function namedArgs(args: string): [name: string, text: string][] | null {
  try {
    const read: unknown = JSON.parse(args)
    if (typeof read !== 'object' || read === null || Array.isArray(read)) return null
    return Object.entries(read).map(([name, value]) => [
      name,
      typeof value === 'string' ? value : JSON.stringify(value, null, 2),
    ])
  } catch {
    return null
  }
}
