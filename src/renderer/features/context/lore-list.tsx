import { type ReactNode, useEffect, useMemo, useState } from 'react'
import type { DraftPreview } from '../../../shared/domain/drafting/draft-preview.ts'
import {
  isOfFrontMatter,
  type LoreCandidate,
  type LoreHead,
  type LoreProblem,
  type LoreReport,
  type LoreUse,
  type UnreadLore,
} from '../../../shared/domain/lore/lore.ts'
import { displayName } from '../../state/reducers/work-reducer.ts'
import { useApp, useWords } from '../../state/store-context.tsx'
import { Button } from '../../ui/button.tsx'
import { Notice } from '../../ui/notice.tsx'

/** Rows of a long list that are shown at first, and more at each press. */
const shownRows = 200

/**
 * The lore of the next prompt: each entry with its reason, its place and its cost; and what could become an entry.
 * Without a prompt (`preview` null, or one that cannot be sent) the entries alone, since files need no model.
 */
export function LoreList({ preview }: { preview: DraftPreview | null }) {
  const { t } = useWords()
  const { entries, candidates, unread } = useApp((state) => state.lore)
  const isLoading = useApp((state) => state.preview.isLoading)
  useFreshEntries(preview)
  const report = preview?.lore ?? null
  const used = new Set(report?.uses.map(({ path }) => path))
  const unused = entries.filter(({ path }) => !used.has(path))
  const keysOf = useMemo(() => new Map(entries.map(({ path, keys }) => [path, keys])), [entries])
  if (entries.length === 0 && candidates.length === 0 && unread.length === 0) return null
  const hasPrompt = preview !== null && preview.problem === null
  const problems =
    report?.problems ??
    entries.flatMap(({ path, problems }) => problems.map((problem) => ({ path, problem })))
  return (
    <section className="card lore" aria-label={t('lore.title')}>
      <div className="row">
        <h3 className="label grow">{t('lore.title')}</h3>
        {report && report.budgetTokens > 0 && (
          <span className="dim">
            {t('lore.budget', { used: report.usedTokens, budget: report.budgetTokens })}
          </span>
        )}
      </div>
      {!hasPrompt && !isLoading && entries.length > 0 && <p className="dim">{t('lore.noPrompt')}</p>}
      {problems.map(({ path, problem }) => (
        <ProblemNotice key={`${path} ${JSON.stringify(problem)}`} path={path} problem={problem} />
      ))}
      <LeftOut report={report} />
      {((report && report.uses.length > 0) || unread.length > 0) && (
        <ul>
          {report?.uses.map((use) => (
            <UsedEntry key={use.path} use={use} keys={keysOf.get(use.path) ?? []} />
          ))}
          {unread.map((file) => (
            <UnreadFile key={file.path} file={file} />
          ))}
        </ul>
      )}
      {unused.length > 0 && (
        <LongList
          title={t(hasPrompt ? 'lore.unused' : 'lore.entries', { count: unused.length })}
          rows={unused}
          row={(entry) => <UnusedEntry key={entry.path} entry={entry} />}
        />
      )}
      {candidates.length > 0 && (
        <LongList
          title={t('lore.candidates', { count: candidates.length })}
          hint={t('lore.candidates.hint')}
          rows={candidates}
          row={(candidate) => <Candidate key={candidate.path} candidate={candidate} />}
        />
      )}
    </section>
  )
}

/** Lists the entries anew where their files have changed: a prompt tells by its revision, else the list of files does. */
function useFreshEntries(preview: DraftPreview | null): void {
  const { refresh, keepUp } = useApp((state) => state.lore)
  const { isLoading, error } = useApp((state) => state.preview)
  const workId = useApp((state) => state.work.current?.workId)
  const files = useApp((state) => state.work.current?.files)
  const materials = useMemo(
    () =>
      (files ?? [])
        .filter(({ kind }) => kind === 'material')
        .map(({ path, characters }) => `${path} ${characters}`)
        .join('\n'),
    [files],
  )
  // biome-ignore lint/correctness/useExhaustiveDependencies: these are the occasions, not the input
  useEffect(() => void refresh(), [refresh, workId, materials])
  useEffect(() => {
    if (isLoading || (error === null && preview === null)) return
    void keepUp(error === null ? (preview?.loreRevision ?? null) : null)
  }, [keepUp, isLoading, error, preview])
}

type LongListProps<T> = { title: string; hint?: string; rows: readonly T[]; row: (one: T) => ReactNode }

/** A list that is folded at first, of which only what is unfolded is rendered. */
function LongList<T>({ title, hint, rows, row }: LongListProps<T>) {
  const { t } = useWords()
  const [isOpen, setIsOpen] = useState(false)
  const [shown, setShown] = useState(shownRows)
  const left = rows.length - shown
  return (
    <details onToggle={(event) => setIsOpen(event.currentTarget.open)}>
      <summary>{title}</summary>
      {isOpen && (
        <>
          {hint !== undefined && <p className="dim">{hint}</p>}
          <ul>{rows.slice(0, shown).map(row)}</ul>
          {left > 0 && (
            <Button variant="quiet" onClick={() => setShown(shown + shownRows)}>
              {t('lore.more', { count: left })}
            </Button>
          )}
        </>
      )}
    </details>
  )
}

function UnusedEntry({ entry: { path, name, keys, enabled, problems } }: { entry: LoreHead }) {
  const { t } = useWords()
  return (
    <li className="row">
      <span className="grow clip">{name}</span>
      {!enabled && (
        <span className="dim">{t(problems.some(isOfFrontMatter) ? 'lore.unreadable' : 'lore.disabled')}</span>
      )}
      <MentionsButton name={name} keys={keys} />
      <EditButton path={path} name={name} />
    </li>
  )
}

function Candidate({ candidate: { path, keys } }: { candidate: LoreCandidate }) {
  const { t } = useWords()
  return (
    <li className="row">
      <span className="grow clip">{path}</span>
      <EntryButton path={path} keys={keys} label={t('lore.make.of', { path })} text={t('lore.make')} />
    </li>
  )
}

/** Says how many entries the next prompt lacks, and how many of these could not be read. */
function LeftOut({ report }: { report: LoreReport | null }) {
  const { t } = useWords()
  if (report === null) return null
  const unread = report.unread.length
  const count = report.uses.filter(({ place }) => place === 'left-out').length + unread
  if (count === 0) return null
  return (
    <p className="dim">
      {unread === 0 ? t('lore.leftOut', { count }) : t('lore.leftOut.unread', { count, unread })}
    </p>
  )
}

/** A file that cannot be read, with the reason and what to do. */
function UnreadFile({ file: { path, error } }: { file: UnreadLore }) {
  const { t, errorText } = useWords()
  return (
    <li className="lore-entry lore-left-out">
      <div className="row">
        <strong className="grow clip">{path}</strong>
        <span>{t('lore.place.unread')}</span>
        <OpenFile path={path} />
      </div>
      <p>{errorText(error)}</p>
    </li>
  )
}

function UsedEntry({ use, keys }: { use: LoreUse; keys: readonly string[] }) {
  const { t } = useWords()
  const { reason, place, path, name, tokens } = use
  const isPushedOut = reason.kind === 'sticky' && place === 'left-out'
  return (
    <li className={place === 'left-out' ? 'lore-entry lore-left-out' : 'lore-entry'}>
      <div className="row">
        <strong className="grow clip">{name}</strong>
        <span className="dim">{t(`lore.place.${place}`)}</span>
        <span className="dim">{t('lore.tokens', { count: tokens })}</span>
        <MentionsButton name={name} keys={keys} />
        <EditButton path={path} name={name} />
      </div>
      {reason.kind === 'match' ? (
        <Match reason={reason} />
      ) : (
        <p className="dim">{t(isPushedOut ? 'lore.reason.pushedOut' : `lore.reason.${reason.kind}`)}</p>
      )}
    </li>
  )
}

/** The key of an entry with its sentence; pressing it goes there: to the text, the calling entry or the note. */
function Match({ reason }: { reason: Extract<LoreUse['reason'], { kind: 'match' }> }) {
  const { t } = useWords()
  const goTo = useApp((state) => state.documents.goToPlace)
  const goToTab = useApp((state) => state.ui.goToTab)
  const { key, sentence, foundIn, at } = reason
  const shown =
    foundIn === 'entry' && at !== null
      ? t('lore.reason.match.entry', { key, sentence, name: displayName(at.path) })
      : t(foundIn === 'note' ? 'lore.reason.match.note' : 'lore.reason.match', { key, sentence })
  if (at === null && foundIn !== 'note') return <p className="dim">{shown}</p>
  return (
    <button
      type="button"
      className="lore-reason"
      onClick={() => (at === null ? goToTab('details') : void goTo(at))}
    >
      {shown}
    </button>
  )
}

/** Shows where the entry's keys, or its name, appear in the work. */
function MentionsButton({ name, keys }: { name: string; keys: readonly string[] }) {
  const { t } = useWords()
  const open = useApp((state) => state.ui.open)
  return (
    <Button
      variant="quiet"
      aria-label={t('mentions.of', { name })}
      onClick={() => open({ kind: 'mentions', keys: keys.length > 0 ? [...keys] : [name] })}
    >
      {t('mentions.open')}
    </Button>
  )
}

function EditButton({ path, name }: { path: string; name: string }) {
  const { t } = useWords()
  return <EntryButton path={path} keys={[]} label={t('lore.edit.of', { name })} text={t('lore.edit')} />
}

type EntryButtonProps = { path: string; keys: string[]; label: string; text: string }

function EntryButton({ path, keys, label, text }: EntryButtonProps) {
  const open = useApp((state) => state.ui.open)
  return (
    <Button
      variant="quiet"
      aria-label={label}
      onClick={() => open({ kind: 'lore-entry', path, proposedKeys: keys })}
    >
      {text}
    </Button>
  )
}

function ProblemNotice({ path, problem }: { path: string; problem: LoreProblem }) {
  const { t } = useWords()
  if (problem.kind !== 'front-matter')
    return <Notice tone="bad">{t(`lore.problem.${problem.kind}`, { path, key: problem.key })}</Notice>
  const { line, reason } = problem
  return (
    <Notice tone="bad" actions={<OpenFile path={path} />}>
      {line === null
        ? t('lore.problem.front-matter', { path, reason })
        : t('lore.problem.front-matter.line', { path, reason, line })}
    </Notice>
  )
}

function OpenFile({ path }: { path: string }) {
  const { t } = useWords()
  const goTo = useApp((state) => state.documents.goTo)
  return (
    <Button variant="quiet" aria-label={t('lore.openFile.of', { path })} onClick={() => goTo(path)}>
      {t('lore.openFile')}
    </Button>
  )
}
