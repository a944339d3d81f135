import { IdeaItem, type IdeaWords } from '../../../../shared/domain/drafting/draft-details.ts'
import { type FieldChange, readIdea } from '../../../../shared/domain/drafting/idea-sections.ts'
import type { Run } from '../../../../shared/domain/drafting/run.ts'
import type { Take } from '../../../../shared/domain/drafting/take.ts'

/** One answer for an idea: all of it, or one of its items made again. */
type IdeaPart = Pick<Take, 'takeId' | 'placeId' | 'text' | 'createdAt'>

/** An idea with what was made again of it. Shape: `parts` oldest first; `takeId` by item is whose section is shown. */
export type IdeaGroup = {
  id: string
  parts: IdeaPart[]
  sections: Partial<Record<IdeaItem, string>>
  change: FieldChange
  takeIds: Partial<Record<IdeaItem, string>>
}

/** The ideas of a work, oldest first; what is being written is part of its idea from its first text on. */
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
