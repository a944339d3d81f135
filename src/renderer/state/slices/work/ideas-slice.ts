import {
  type DraftDetails,
  type DraftMode,
  IdeaItem,
  type IdeaTarget,
  type IdeaWords,
} from '../../../../shared/domain/drafting/draft-details.ts'
import { type FieldChange, readIdea } from '../../../../shared/domain/drafting/idea-sections.ts'
import type { Run } from '../../../../shared/domain/drafting/run.ts'
import type { Take } from '../../../../shared/domain/drafting/take.ts'
import type { SliceContext } from '../slice.ts'
import { activeRun } from './runs-slice.ts'

/** One answer for an idea: all of it, or one of its items made again. */
type IdeaPart = Pick<Take, 'takeId' | 'placeId' | 'text' | 'createdAt'>

/** An idea with what was made again of it. Shape: `parts` oldest first; `takeId` by item is whose section is shown. */
type IdeaGroup = {
  id: string
  parts: IdeaPart[]
  sections: Partial<Record<IdeaItem, string>>
  change: FieldChange
  takeIds: Partial<Record<IdeaItem, string>>
}

/** A transfer that can be taken back: the fields before it, their new content, and the toast that offers to undo it. */
type Transfer = { before: Partial<DraftDetails>; given: FieldChange; toastId: string | undefined }

export function shownIdeas({ ideas, takes, runs }: ReturnType<SliceContext['get']>): {
  groups: IdeaGroup[]
  index: number
} {
  const groups = ideaGroups(takes.list, activeRun(runs)?.run, ideas.words)
  const found = groups.findIndex(({ id }) => id === ideas.shownId)
  return { groups, index: found < 0 ? groups.length - 1 : found }
}

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other)

export function createIdeasSlice({ client, get, patch, memory, tell }: SliceContext) {
  const keyOf = (workId: string) => `mode ${workId}`
  const shown = () => {
    const { groups, index } = shownIdeas(get())
    return groups[index]
  }
  /** Closes the toast of a transfer that was undone or is not the last: its button would undo another transfer. */
  const closeOffer = () => {
    const toastId = get().ideas.transferred?.toastId
    if (toastId !== undefined) get().ui.closeToast(toastId)
  }

  return {
    /** The result that *Continue* requests: a continuation, or an idea. */
    mode: 'generate' as DraftMode,
    /** The headers of ideas; empty until they are loaded. */
    words: [] as IdeaWords[],
    /** The shown idea; null: the newest. */
    shownId: null as string | null,
    /** The fields that were filled a moment ago. `count` tells two transfers apart. */
    filled: { items: [], count: 0 } as { items: IdeaItem[]; count: number },
    transferred: null as Transfer | null,

    setMode(mode: DraftMode) {
      const root = get().work.current?.root
      if (root !== undefined) memory.write(keyOf(root), mode)
      patch('ideas', { mode })
      get().ui.showTab('takes')
      get().preview.invalidate()
    },

    async load(workId: string) {
      const root = get().work.current?.root
      const mode = root !== undefined && memory.read(keyOf(root)) === 'idea' ? 'idea' : 'generate'
      patch('ideas', { mode, shownId: null, transferred: null })
      try {
        if (get().ideas.words.length === 0) {
          const { ja, en } = await client['draft.ideaWords']({})
          patch('ideas', { words: [ja, en] })
        }
        const { takes } = await client['take.list']({ workId, mode: 'idea', limit: 50 })
        if (get().work.current?.workId === workId) get().takes.merge(takes)
      } catch (error) {
        tell(error, 'rpc/closed')
      }
    },

    /** Asks for an idea, or for one item of the shown one again. */
    async start(target: IdeaTarget) {
      const idea = shown()
      get().ui.showTab('takes')
      if (target === 'all' || idea === undefined) patch('ideas', { shownId: null })
      const ideaOf = target === 'all' ? undefined : idea?.id
      await get().runs.start({ idea: { target, ...(ideaOf === undefined ? {} : { ideaOf }) } })
    },

    /** Puts a section, or every one, into its field of the details. */
    async transfer(target: IdeaTarget) {
      const idea = shown()
      const workId = get().work.current?.workId
      const details = await get().work.settledDetails()
      const hasLeft = () => get().work.current?.workId !== workId
      if (idea === undefined || details === undefined || hasLeft()) return
      const isWanted = ([item]: [string, unknown]) => target === 'all' || item === target
      const given: FieldChange = Object.fromEntries(Object.entries(idea.change).filter(isWanted))
      const items = Object.keys(given) as IdeaItem[]
      if (items.length === 0) return
      const last = get().ideas.transferred
      const isThere = (item: IdeaItem) =>
        isSame(details[item], given[item]) && isSame(last?.given[item], given[item])
      // A field that has this text from the last transfer gets back what the author had before that one.
      const before = Object.fromEntries(
        items.map((item) => [item, (isThere(item) ? last?.before : details)?.[item]]),
      )
      if (!(await get().work.updateDetails(given)) || hasLeft()) return
      closeOffer()
      const undo = { key: 'action.undo' as const, run: () => void get().ideas.undoTransfer() }
      get().ui.toast({ key: 'ideas.transferred', values: { count: items.length } }, undo)
      const toastId = get().ui.toasts.at(-1)?.id
      patch('ideas', {
        filled: { items, count: get().ideas.filled.count + 1 },
        transferred: { before, given, toastId },
      })
      const takeIds = new Set(items.map((item) => idea.takeIds[item]))
      for (const takeId of takeIds) if (takeId !== undefined) await get().takes.accepted(takeId, 0)
    },

    async undoTransfer() {
      const { transferred, filled } = get().ideas
      if (transferred === null) return
      closeOffer()
      patch('ideas', { transferred: null })
      const details = await get().work.settledDetails()
      if (details === undefined) return
      const items = Object.keys(transferred.given) as IdeaItem[]
      // Fields that the author has changed since then are left as they are.
      const own = items.filter((item) => isSame(details[item], transferred.given[item]))
      const before = Object.fromEntries(own.map((item) => [item, transferred.before[item]]))
      if (own.length > 0 && !(await get().work.updateDetails(before))) return
      patch('ideas', { filled: { items: own, count: filled.count + 1 } })
      const isAll = own.length === items.length
      get().ui.toast({ key: isAll ? 'ideas.undone' : 'ideas.undoneInPart' })
    },

    show(step: -1 | 1) {
      const { groups, index } = shownIdeas(get())
      const next = groups[index + step]
      if (next) patch('ideas', { shownId: next.id })
    },
  }
}

/** Returns the ideas of a work, oldest first; what is being written is part of its idea from its first text on. */
export function ideaGroups(
  takes: readonly Take[],
  running: Run | undefined,
  languages: readonly IdeaWords[],
): IdeaGroup[] {
  const parts: IdeaPart[] = takes.filter((take) => take.mode === 'idea' && take.takeId !== running?.takeId)
  if (running?.mode === 'idea') parts.push({ ...running, createdAt: running.startedAt })
  const byId = new Map<string, IdeaPart[]>()
  for (const part of parts.toSorted((a, b) => a.createdAt - b.createdAt)) {
    const id = part.placeId || part.takeId
    byId.set(id, [...(byId.get(id) ?? []), part])
  }
  return [...byId].map(([id, own]) => readGroup(id, own, languages))
}

/** Reads a group; a section is that of the newest part that has it. */
function readGroup(id: string, parts: IdeaPart[], languages: readonly IdeaWords[]): IdeaGroup {
  const group: IdeaGroup = { id, parts, sections: {}, change: {}, takeIds: {} }
  for (const part of parts) {
    const { sections, change } = readIdea(part.text, languages)
    for (const item of IdeaItem.options) {
      if (sections[item] === undefined) continue
      group.takeIds[item] = part.takeId
      // A section may set nothing, and what an older one would set is not what is shown.
      delete group.change[item]
    }
    group.sections = { ...group.sections, ...sections }
    group.change = { ...group.change, ...change }
  }
  return group
}
