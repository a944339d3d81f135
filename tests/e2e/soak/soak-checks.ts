import { isDeepStrictEqual } from 'node:util'
import type { Page } from '@playwright/test'
import type { SessionEvent } from '../../../src/shared/domain/session/session.ts'
import { marksIn } from './random-mind.ts'
import type { SoakStage } from './soak-stage.ts'
import { readWindow, type WindowView } from './window-view.ts'

type Snapshot = Extract<SessionEvent, { type: 'snapshot' }>

/** The state of the checks from one action to the next. */
export type Checked = {
  marks: Set<number>
  bugs: number
  boxes: Map<Page, Map<string, string>>
  actions: number
}

/** What an action does to the text of the message box. */
type BoxUse = 'left' | 'written' | 'any'

export const newChecked = (): Checked => ({ marks: new Set(), bugs: 0, boxes: new Map(), actions: 0 })

/** Returns the present faults; empty where there are none. */
export async function checkStage(
  stage: SoakStage,
  checked: Checked,
  before: WindowView | null,
  boxUse: BoxUse,
): Promise<string[]> {
  noteBoxBefore(stage.page, before, checked)
  // After a reload the box is empty until the host has said what is unsent.
  const isFine = (now: WindowView) =>
    faultsOfView(now, before).length === 0 && lostText(stage.page, now, before, checked, boxUse).length === 0
  const view = await settled(stage.page, (now) => now !== null && isFine(now))
  const found = view === null ? ['the window does not come up'] : faultsOfView(view, before)
  found.push(...stage.complaints.splice(0))
  // Compared only sometimes: a missed event stays missing, and comparing whole conversations is the costliest check.
  const isCompared = checked.actions++ % 3 === 0
  const pages = isCompared ? [stage.page, stage.other].filter((page) => page !== null) : []
  const [bugs, changed, stale] = await Promise.all([
    stage.logged(),
    unapproved(stage, checked),
    Promise.all(pages.map((page) => staleParts(stage, page))),
  ])
  found.push(...bugs.slice(checked.bugs).map((line) => `log: ${line}`), ...changed, ...stale.flat())
  checked.bugs = bugs.length
  if (view !== null) {
    found.push(...lostText(stage.page, view, before, checked, boxUse))
    noteBox(stage.page, view, before, checked, boxUse)
  }
  return found
}

/** Repeats a check for a while, since a window needs a moment after an action. */
async function settled(page: Page, isFine: (view: WindowView | null) => boolean) {
  let view: WindowView | null = null
  for (let tries = 0; tries < 120; tries++) {
    view = await readWindow(page)
    if (isFine(view)) return view
    await page.waitForTimeout(tries < 10 ? 30 : 150)
  }
  return view
}

function faultsOfView(view: WindowView, before: WindowView | null): string[] {
  const found: string[] = []
  const never = ['internal/bug', 'rpc/bad-input', 'rpc/unknown-method', 'document/bad-version']
  for (const error of view.errors)
    if (never.includes(error.code)) found.push(`shown: ${JSON.stringify(error)}`)
  found.push(...view.outside.map((part) => `outside of the window: ${part}`))
  const hasClosed = before !== null && before.layers > 0 && view.layers === 0
  if (hasClosed && !view.hasFocus && before.openedAt === view.openedAt)
    found.push('the focus is nowhere after a dialog')
  if (view.connection !== 'open') found.push(`the window is ${view.connection}`)
  const { session } = view
  const isShown =
    view.view === 'session' && view.layers === 0 && session?.status === 'ready' && view.root !== null
  if (isShown && session.state?.openGates.length && !view.hasGate) found.push('an open gate cannot be seen')
  if (session?.status === 'failed')
    found.push(`the session could not be shown: ${JSON.stringify(session.error)}`)
  return found
}

/** Returns the parts of the window's session that differ from the host's. */
export async function staleParts(stage: SoakStage, page: Page): Promise<string[]> {
  let last = ''
  for (let tries = 0; tries < 100; tries++) {
    const session = (await readWindow(page, { hasItems: true }))?.session
    if (session?.status !== 'ready') return []
    const snapshot = await snapshotOf(stage, session.sessionId)
    if (snapshot === null) return []
    if (snapshot.seq === session.seq) {
      // After a cut the window may have less than a page: it asks for the rest where the conversation is shown.
      const { length } = snapshot.items
      const count = session.hasMore ? Math.min(length, session.items.length) : length
      const items = session.items.slice(session.items.length - count)
      const differs = snapshot.items.slice(length - count).filter((item, at) => !isSame(item, items[at]))
      if (!isSame(snapshot.state, session.state)) last = 'the state differs from the host’s'
      else if (items.length !== count) last = `${items.length} items, ${length} at the host`
      else if (differs.length === 0) return []
      else last = `differs from the host: ${JSON.stringify(differs).slice(0, 600)}`
    } else if (snapshot.state.activity !== null) {
      // A running session changes all the time, so that it cannot be compared.
      return []
    } else last = `event ${session.seq} in the window, ${snapshot.seq} at the host`
    await page.waitForTimeout(100)
  }
  return [last]
}

/** As it goes over the wire, with the end of a long output only. */
function isSame(one: unknown, other: unknown): boolean {
  const plain = (value: unknown) =>
    JSON.parse(JSON.stringify(value ?? null), (key, part) =>
      key === 'text' && typeof part === 'string' ? part.slice(-8_000) : part,
    ) as unknown
  return isDeepStrictEqual(plain(one), plain(other))
}

async function snapshotOf(stage: SoakStage, sessionId: string): Promise<Snapshot | null> {
  try {
    for await (const event of stage.client['session.watch']({ sessionId }))
      if (event.type === 'snapshot') return event
  } catch {
    // It was removed meanwhile.
  }
  return null
}

/** Returns texts that the model wrote without the user's approval. */
async function unapproved(stage: SoakStage, checked: Checked): Promise<string[]> {
  const found: string[] = []
  for (const [path, text] of await stage.texts()) {
    for (const mark of marksIn(text)) {
      const approvalsThen = stage.mind.proposed.get(mark)
      const isAllowed =
        stage.isFreehand || (approvalsThen !== undefined && stage.mind.approvals > approvalsThen)
      if (!checked.marks.has(mark) && !isAllowed)
        found.push(`${path} was changed by call ${mark}, which nobody allowed`)
      checked.marks.add(mark)
    }
  }
  return found
}

/** A host that was started anew has another address, where a browser keeps nothing of before. */
const boxName = (view: WindowView) => `${view.origin} ${view.session?.sessionId}`

const hasBox = (view: WindowView | null): view is WindowView & { box: string } =>
  view !== null && view.box !== null && view.session !== null && !view.session.isEditing

function boxesOf(page: Page, checked: Checked): Map<string, string> {
  const boxes = checked.boxes.get(page) ?? new Map<string, string>()
  checked.boxes.set(page, boxes)
  return boxes
}

/** Notes changes of the box since the last check that no action caused, such as a message that was sent by now. */
function noteBoxBefore(page: Page, before: WindowView | null, checked: Checked): void {
  if (hasBox(before)) boxesOf(page, checked).set(boxName(before), before.box)
}

/** Returns text that disappeared from the session's box although the action did not change the box. */
function lostText(
  page: Page,
  view: WindowView,
  before: WindowView | null,
  checked: Checked,
  boxUse: BoxUse,
): string[] {
  if (!hasBox(view)) return []
  const known = boxesOf(page, checked).get(boxName(view)) ?? ''
  // A session that was not shown yet, as after a reload, may have come before the action and got its text.
  const isOther = before?.session != null && before.session.sessionId !== view.session?.sessionId
  if (boxUse !== 'left' && !isOther) return []
  return known.trim() === '' || view.box.includes(known)
    ? []
    : [`the box had “${known.slice(0, 80)}” and has “${view.box.slice(0, 80)}”`]
}

function noteBox(
  page: Page,
  view: WindowView,
  before: WindowView | null,
  checked: Checked,
  boxUse: BoxUse,
): void {
  if (!hasBox(view)) return
  // What is unsent belongs to all windows: it may have been sent or emptied in this one.
  for (const [other, theirs] of checked.boxes) if (other !== page) theirs.delete(boxName(view))
  boxesOf(page, checked).set(boxName(view), view.box)
  // What was written led to another session: the text before it may have been written over.
  const isOther = before?.session?.sessionId !== view.session?.sessionId
  if (before !== null && boxUse === 'written' && isOther) boxesOf(page, checked).delete(boxName(before))
}
