import {
  type BlankLineRule,
  blankLineRules,
  ExportOptions,
  type ManuscriptText,
  type Site,
  sites,
  sitesFor,
} from '../../../../shared/domain/work/publishing.ts'
import { parseJson } from '../../../../shared/text/json.ts'
import { findDice } from '../../../../shared/text/manuscript/dice.ts'
import { readerText } from '../../../../shared/text/manuscript/manuscript-marks.ts'
import { siteCount, siteText } from '../../../../shared/text/manuscript/site-text.ts'
import { languageOfText } from '../../../../shared/text/text-language.ts'
import { languageIn } from '../../reducers/work-reducer.ts'
import { infoOf } from '../follow.ts'
import type { SliceContext } from '../slice.ts'

export type DiceChoices = Record<string, string>

const newOptions: ExportOptions = {
  format: 'docx',
  isPerChapter: false,
  isVertical: true,
  site: 'plain',
  blankLines: 'keep',
  dice: {},
  author: '',
}

function languageOf(texts: readonly ManuscriptText[]): 'ja' | 'en' {
  return languageOfText(texts.map(({ text }) => text).join('\n')) ?? 'ja'
}

/** Publishing of the open work: texts for a site, exports and imports. */
export function createPublishingSlice({ client, get, patch, memory, inWork }: SliceContext) {
  let loads = 0
  const fetchTexts = (path: string | null): Promise<ManuscriptText[] | null> =>
    inWork(async (workId) => {
      // Text that was typed a moment ago belongs to it.
      await get().documents.flushAll()
      const named = path === null ? {} : { paths: [path] }
      return (await client['work.texts']({ workId, ...named })).texts
    })

  /** True where the author chose vertical lines for texts of this language, or else where its books are printed so. */
  const isSetVertically = (texts: readonly ManuscriptText[]): boolean => {
    const language = languageOf(texts)
    const chosen = memory.read(`vertical ${language}`)
    return chosen ? chosen === 'true' : language === 'ja'
  }

  /** Returns the key of the chosen site: Japanese text and other text have one each. */
  const siteKey = (path: string | null) =>
    languageIn(get().work.current, path) === 'ja' ? 'site' : 'site en'
  const siteAt = (path: string | null): Site => {
    const kept = memory.read(siteKey(path))
    const [first = 'plain'] = sitesFor(languageIn(get().work.current, path))
    return sites.find((site) => site === kept) ?? first
  }
  const blankLinesOf = (site: Site): BlankLineRule => {
    const kept = memory.read(`blank lines ${site}`)
    return blankLineRules.find((rule) => rule === kept) ?? 'keep'
  }

  /** Exports what is typed. An earlier file of the same name is replaced by `again`, without choosing anything again. */
  const exporting = async (task: (workId: string) => Promise<void>, again: (() => void) | null) => {
    const { work, documents, ui } = get()
    if (work.current === null) return
    try {
      await documents.flushAll()
      await task(work.current.workId)
    } catch (error) {
      const info = infoOf(error)
      if (info.code !== 'file/exists' || again === null) return ui.toastError(info)
      const message = { key: 'toast.exportExists', values: { path: info.path } } as const
      ui.toast(message, { key: 'action.replace', run: again })
    }
  }

  type Wanted = { target: string; exportOptions: ExportOptions; chapter: string | null; mayReplace: boolean }
  const exportAs = (wanted: Wanted): Promise<void> => {
    const { target, exportOptions, chapter, mayReplace } = wanted
    const isPerChapter = exportOptions.isPerChapter && chapter === null
    const again = () => void exportAs({ ...wanted, mayReplace: true })
    return exporting(
      async (workId) => {
        const { path, count } = await client['work.exportText']({
          workId,
          target,
          options: { ...exportOptions, isPerChapter },
          mayReplace,
          ...(chapter === null ? {} : { paths: [chapter] }),
        })
        const key = isPerChapter ? 'toast.exportedChapters' : 'toast.exported'
        get().ui.toast({ key, values: { path, count } })
      },
      isPerChapter || mayReplace ? null : again,
    )
  }

  const exportProject = (target: string, mayReplace: boolean): Promise<void> =>
    exporting(
      async (workId) => {
        const { path } = await client['work.exportProject']({ workId, target, mayReplace })
        get().ui.toast({ key: 'toast.exported', values: { path } })
      },
      mayReplace ? null : () => void exportProject(target, true),
    )

  return {
    /** The texts of the dialog; null while they are being loaded. */
    texts: null as ManuscriptText[] | null,
    /** The chapter that the dialog is about; null: the whole work. */
    chapter: null as string | null,
    site: 'plain' as Site,
    /** As the author chose for this site. */
    blankLines: 'keep' as BlankLineRule,
    /** As the browser has kept them; those of another version are not read. */
    exportOptions: ExportOptions.safeParse(parseJson(memory.read('export') ?? '')).data ?? newOptions,

    async load(path: string | null) {
      loads += 1
      const mine = loads
      const site = siteAt(path)
      patch('publishing', { texts: null, chapter: path, site, blankLines: blankLinesOf(site) })
      const texts = await fetchTexts(path)
      if (texts === null || mine !== loads) return
      const exportOptions = { ...get().publishing.exportOptions, isVertical: isSetVertically(texts) }
      patch('publishing', { texts, exportOptions })
    },
    choose(site: Site, blankLines?: BlankLineRule) {
      memory.write(siteKey(get().publishing.chapter), site)
      if (blankLines) memory.write(`blank lines ${site}`, blankLines)
      patch('publishing', { site, blankLines: blankLines ?? blankLinesOf(site) })
    },
    /** Copies at once where no die has to be asked about; else shows the dialog. */
    async copyFor(path: string | null, site: Site) {
      patch('publishing', { chapter: path })
      get().publishing.choose(site)
      const texts = await fetchTexts(path)
      if (texts === null) return
      if (diceOf(texts).length > 0) return get().ui.open({ kind: 'post', path })
      await get().publishing.copy(texts, {})
    },
    async copy(texts: readonly ManuscriptText[], dice: DiceChoices) {
      const { site, blankLines } = get().publishing
      const text = joined(texts, site, blankLines, dice)
      try {
        await navigator.clipboard.writeText(text)
      } catch {
        get().ui.toast({ key: 'toast.notCopied' })
        return false
      }
      const count = texts.reduce((sum, one) => sum + siteCount(one.text, dice), 0)
      get().ui.toast({ key: `publish.copied.${site}`, values: { count } })
      return true
    },
    setExport(options: Partial<ExportOptions>) {
      const next = { ...get().publishing.exportOptions, ...options }
      memory.write('export', JSON.stringify({ ...next, dice: {} }))
      const { texts } = get().publishing
      if (options.isVertical !== undefined && texts !== null)
        memory.write(`vertical ${languageOf(texts)}`, `${options.isVertical}`)
      patch('publishing', { exportOptions: next })
    },
    /** Exports to a place. Where there is a file that may not be replaced, the author is asked. */
    exportTo(target: string, mayReplace: boolean) {
      const { exportOptions, chapter } = get().publishing
      return exportAs({ target, exportOptions, chapter, mayReplace })
    },
    exportProject,
    importFrom: (file: string) =>
      inWork(async (workId) => {
        const { work, documents, ui } = get()
        const { paths } = await client['work.importText']({ workId, file })
        const message = { key: 'toast.imported', values: { count: paths.length } } as const
        // In another work that was opened meanwhile, files of these names are other ones.
        if (get().work.current?.workId !== workId) return ui.toast(message)
        const [first] = paths
        if (first !== undefined) documents.goTo(first)
        ui.toast(message, { key: 'action.undo', run: () => void work.removeFiles(paths) })
      }),
  }
}

/** Returns every die that readers would see, once. */
export function diceOf(texts: readonly ManuscriptText[]): { source: string; options: string[] }[] {
  const found = new Map<string, string[]>()
  for (const { text } of texts)
    for (const { source, options } of findDice(readerText(text))) found.set(source, [...new Set(options)])
  return [...found].map(([source, options]) => ({ source, options }))
}

/** Joins chapters to one text, in the form that the site takes. */
export function joined(
  texts: readonly ManuscriptText[],
  site: Site,
  blankLines: BlankLineRule,
  dice: DiceChoices,
): string {
  return texts.map(({ text }) => siteText(text, site, { blankLines, dice })).join('\n\n')
}
