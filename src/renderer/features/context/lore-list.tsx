import { useEffect } from 'react'
import {
  isOfFrontMatter,
  type LoreProblem,
  type LoreReport,
  type LoreUse,
  type UnreadLore,
} from '../../../shared/domain/lore/lore.ts'
import { useApp, useWords } from '../../state/store-context.tsx'
import { Button } from '../../ui/button.tsx'
import { Notice } from '../../ui/notice.tsx'

/** The lore of the next prompt: each entry with its reason, its place and its cost; and what could become an entry. */
export function LoreList({ report }: { report: LoreReport | null }) {
  const { t } = useWords()
  const { entries, candidates, unread, refresh } = useApp((state) => state.lore)
  const open = useApp((state) => state.ui.open)
  // The prompt was counted anew: files may have changed, too.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the report is the occasion, not the input
  useEffect(() => void refresh(), [refresh, report])
  if (entries.length === 0 && candidates.length === 0 && unread.length === 0) return null
  const used = new Set(report?.uses.map(({ path }) => path))
  const unused = entries.filter(({ path }) => !used.has(path))
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
      {report?.problems.map(({ path, problem }) => (
        <ProblemNotice key={`${path} ${JSON.stringify(problem)}`} path={path} problem={problem} />
      ))}
      <LeftOut report={report} />
      {((report && report.uses.length > 0) || unread.length > 0) && (
        <ul>
          {report?.uses.map((use) => (
            <UsedEntry key={use.path} use={use} />
          ))}
          {unread.map((file) => (
            <UnreadFile key={file.path} file={file} />
          ))}
        </ul>
      )}
      {unused.length > 0 && (
        <details>
          <summary>{t('lore.unused', { count: unused.length })}</summary>
          <ul>
            {unused.map(({ path, name, enabled, problems }) => (
              <li key={path} className="row">
                <span className="grow clip">{name}</span>
                {!enabled && (
                  <span className="dim">
                    {t(problems.some(isOfFrontMatter) ? 'lore.unreadable' : 'lore.disabled')}
                  </span>
                )}
                <MentionsButton path={path} name={name} />
                <EditButton path={path} name={name} />
              </li>
            ))}
          </ul>
        </details>
      )}
      {candidates.length > 0 && (
        <details>
          <summary>{t('lore.candidates', { count: candidates.length })}</summary>
          <p className="dim">{t('lore.candidates.hint')}</p>
          <ul>
            {candidates.map(({ path, keys }) => (
              <li key={path} className="row">
                <span className="grow clip">{path}</span>
                <Button
                  look="quiet"
                  aria-label={t('lore.make.of', { path })}
                  onClick={() => open({ kind: 'lore-entry', path, proposedKeys: keys })}
                >
                  {t('lore.make')}
                </Button>
              </li>
            ))}
          </ul>
        </details>
      )}
    </section>
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

function UsedEntry({ use }: { use: LoreUse }) {
  const { t } = useWords()
  const goTo = useApp((state) => state.documents.goToPlace)
  const { reason, place, path, name, tokens } = use
  const isPushedOut = reason.kind === 'sticky' && place === 'left-out'
  return (
    <li className={place === 'left-out' ? 'lore-entry lore-left-out' : 'lore-entry'}>
      <div className="row">
        <strong className="grow clip">{name}</strong>
        <span className="dim">{t(`lore.place.${place}`)}</span>
        <span className="dim">{t('lore.tokens', { count: tokens })}</span>
        <MentionsButton path={path} name={name} />
        <EditButton path={path} name={name} />
      </div>
      {reason.kind !== 'match' && (
        <p className="dim">{t(isPushedOut ? 'lore.reason.pushedOut' : `lore.reason.${reason.kind}`)}</p>
      )}
      {reason.kind === 'match' &&
        (reason.at === null ? (
          <p className="dim">{t('lore.reason.match', { key: reason.key, sentence: reason.sentence })}</p>
        ) : (
          <button type="button" className="lore-reason" onClick={() => void (reason.at && goTo(reason.at))}>
            {t('lore.reason.match', { key: reason.key, sentence: reason.sentence })}
          </button>
        ))}
    </li>
  )
}

/** Shows where the entry's keys, or its name, appear in the work. */
function MentionsButton({ path, name }: { path: string; name: string }) {
  const { t } = useWords()
  const open = useApp((state) => state.ui.open)
  const entries = useApp((state) => state.lore.entries)
  const keys = entries.find((entry) => entry.path === path)?.keys ?? []
  return (
    <Button
      look="quiet"
      aria-label={t('mentions.of', { name })}
      onClick={() => open({ kind: 'mentions', keys: keys.length > 0 ? keys : [name] })}
    >
      {t('mentions.open')}
    </Button>
  )
}

function EditButton({ path, name }: { path: string; name: string }) {
  const { t } = useWords()
  const open = useApp((state) => state.ui.open)
  return (
    <Button
      look="quiet"
      aria-label={t('lore.edit.of', { name })}
      onClick={() => open({ kind: 'lore-entry', path, proposedKeys: [] })}
    >
      {t('lore.edit')}
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
    <Button look="quiet" aria-label={t('lore.openFile.of', { path })} onClick={() => goTo(path)}>
      {t('lore.openFile')}
    </Button>
  )
}
