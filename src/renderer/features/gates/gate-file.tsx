import { useEffect, useMemo } from 'react'
import type { GateCall, GateFile, GateView } from '../../../shared/domain/session/gate.ts'
import { sizeText } from '../../../shared/i18n/translate.ts'
import { type ChainedHunk, chainedHunks } from '../../../shared/text/difference/chained-hunks.ts'
import {
  diffKey,
  type GateChoices,
  type LoadedDiff,
  placeKey,
} from '../../state/slices/session/gates-slice.ts'
import { useApp, useWords } from '../../state/store-context.tsx'
import { FoldedFile } from '../../ui/diff/folded-file.tsx'
import { FileDiff, LoadError, modeWords } from '../diff/file-diff.tsx'
import { GatePoints } from './gate-points.tsx'

type GateFileProps = {
  gate: GateView
  call: GateCall
  file: GateFile
  choices: GateChoices
  isFirst: boolean
}

/** Larger files stay closed until the user opens them. */
const largeBytes = 1_000_000

function isLargeFile({ sizeBytes }: GateFile): boolean {
  return sizeBytes > largeBytes
}

/** A file that would change: what becomes of it, and the diff with a choice at each place. */
export function GateFileSection({ gate, call, file, choices, isFirst }: GateFileProps) {
  const { t, language } = useWords()
  const isLarge = isLargeFile(file)
  const isModeAlone = file.mode !== undefined && file.hunks === 0
  return (
    <FoldedFile
      path={file.to === null ? file.path : `${file.path} → ${file.to}`}
      facts={[
        t(`gate.file.${file.action}`),
        ...(file.entry === undefined ? [] : [t(`gate.file.entry.${file.entry}`)]),
        ...(file.entry === 'folder' || isModeAlone
          ? []
          : [
              t('gate.file.lines', { added: file.addedLines, removed: file.removedLines }),
              t('gate.file.places', { count: file.hunks }),
            ]),
        ...modeWords(t, file),
      ]}
      isOpenAtFirst={isFirst && !isLarge}
      closedNote={
        isLarge && (
          <p className="gate-note">{t('gate.file.large', { size: sizeText(language, file.sizeBytes) })}</p>
        )
      }
    >
      {file.entry === 'folder' ? (
        <p className="gate-note">{t('gate.file.emptyFolder')}</p>
      ) : (
        <CallFileDiff gate={gate} call={call} file={file} choices={choices} />
      )}
    </FoldedFile>
  )
}

type CallFileProps = Omit<GateFileProps, 'isFirst'>

function CallFileDiff({ gate, call, file, choices }: CallFileProps) {
  const { t } = useWords()
  const state = useApp((app) => app.gates.diffs[diffKey(gate, call, file.path)])
  const loadDiff = useApp((app) => app.gates.loadDiff)
  useEffect(() => void loadDiff(gate, call, file.path), [loadDiff, gate, call, file.path])
  const load = () => void loadDiff(gate, call, file.path)
  if (state?.error) return <LoadError error={state.error} onAgain={load} />
  if (!state?.diff) return <p className="gate-note late">{t('gate.file.loading')}</p>
  return <LoadedFileDiff gate={gate} call={call} file={file} choices={choices} diff={state.diff} />
}

function LoadedFileDiff({ gate, call, file, choices, diff }: CallFileProps & { diff: LoadedDiff }) {
  const { t } = useWords()
  const refuseHunks = useApp((app) => app.gates.refuseHunks)
  const place = placeKey(call.callId, file.path)
  if (diff.hunks.length === 0)
    return <p className="gate-note">{t(file.isOpaque ? 'gate.file.opaque' : 'gate.file.noPlaces')}</p>
  return (
    <FileDiff
      label={t('gate.file.toggle', { path: file.path })}
      path={file.to ?? file.path}
      oldPath={file.path}
      oldText={diff.oldText}
      newText={diff.newText}
      hunks={diff.hunks}
      choice={{
        refused: choices.refused[place] ?? [],
        onChange: (refused) => refuseHunks(gate.gateId, place, refused),
      }}
    />
  )
}

type SharedFileProps = { gate: GateView; calls: readonly GateCall[]; path: string; choices: GateChoices }

/** Calls that write into one file: what each is for, and one diff of all of them with a choice at each place. */
export function SharedFileSection({ gate, calls, path, choices }: SharedFileProps) {
  const { t } = useWords()
  const diffs = useApp((app) => app.gates.diffs)
  const loadDiff = useApp((app) => app.gates.loadDiff)
  const files = calls.flatMap((call) => call.files)
  const isLarge = files.some(isLargeFile)
  const states = calls.map((call) => diffs[diffKey(gate, call, path)])
  const loaded = states.flatMap((state) => state?.diff ?? [])
  const isLoaded = loaded.length === calls.length
  const hunks = useChain(isLoaded ? loaded : null)
  useEffect(() => {
    if (!isLarge) for (const call of calls) void loadDiff(gate, call, path)
  }, [loadDiff, gate, calls, path, isLarge])
  // Texts that are not one chain, or cannot be shown, stay apart: each call has its own diff.
  const isApart = isLarge || (isLoaded && hunks === null) || states.some((state) => state?.error)
  const hasLayout = gate.calls.find((one) => one.files.length > 0) === calls[0]
  const [first] = files
  return (
    <div className="gate-call">
      {withoutRepeats(calls).map((call, index) => (
        <GatePoints key={call.callId} call={call} hasLayout={hasLayout && index === 0} />
      ))}
      {isApart &&
        calls.map((call) =>
          call.files.map((file) => (
            <GateFileSection
              key={`${call.callId} ${call.hash}`}
              gate={gate}
              call={call}
              file={file}
              choices={choices}
              isFirst
            />
          )),
        )}
      {!isApart && first && (
        <FoldedFile
          path={path}
          facts={[
            t(`gate.file.${first.action}`),
            t('gate.file.lines', linesOf(hunks, calls)),
            ...(hunks === null ? [] : [t('gate.file.places', { count: hunks.length })]),
          ]}
          isOpenAtFirst
        >
          {hunks === null ? (
            <p className="gate-note late">{t('gate.file.loading')}</p>
          ) : (
            <SharedDiff
              gate={gate}
              calls={calls}
              path={path}
              choices={choices}
              diffs={loaded}
              hunks={hunks}
            />
          )}
        </FoldedFile>
      )}
    </div>
  )
}

/** Returns the calls without those that repeat what an earlier one says of itself. */
function withoutRepeats(calls: readonly GateCall[]): GateCall[] {
  const saying = ({ intent, reason, alternatives, risk }: GateCall) =>
    JSON.stringify([intent, reason, alternatives, risk.reasons])
  return calls.filter((call, at) => !calls.slice(0, at).some((other) => saying(other) === saying(call)))
}

type SharedDiffProps = SharedFileProps & { diffs: readonly LoadedDiff[]; hunks: readonly ChainedHunk[] }

function SharedDiff({ gate, calls, path, choices, diffs, hunks }: SharedDiffProps) {
  const { t } = useWords()
  const refuseShared = useApp((app) => app.gates.refuseShared)
  if (hunks.length === 0) return <p className="gate-note">{t('gate.file.noPlaces')}</p>
  const callIds = calls.map(({ callId }) => callId)
  return (
    <FileDiff
      label={t('gate.file.toggle', { path })}
      path={path}
      oldText={diffs[0]?.oldText ?? null}
      newText={diffs.at(-1)?.newText ?? null}
      hunks={hunks}
      choice={{
        refused: choices.shared[path]?.refused ?? [],
        onChange: (refused) => refuseShared(gate.gateId, { path, callIds, hunks }, refused),
      }}
    />
  )
}

/** Returns the places of all calls; null where a call does not begin with the text that the one before it leaves. */
function useChain(diffs: readonly LoadedDiff[] | null): ChainedHunk[] | null {
  const texts = diffs?.flatMap(({ oldText, newText }, at) =>
    (at === 0 || diffs[at - 1]?.newText === oldText) && newText !== null ? [oldText ?? '', newText] : [],
  )
  const isChain = texts !== undefined && texts.length === (diffs?.length ?? 0) * 2
  const chain = isChain ? texts.filter((_, at) => at === 0 || at % 2 === 1) : null
  const key = chain?.join('\0') ?? null
  // biome-ignore lint/correctness/useExhaustiveDependencies: the texts are the same where the key is.
  return useMemo(() => chain && chainedHunks(chain), [key])
}

function linesOf(
  hunks: readonly ChainedHunk[] | null,
  calls: readonly GateCall[],
): { added: number; removed: number } {
  const counts = hunks
    ? hunks.map(({ newLines, oldLines }) => ({ addedLines: newLines.length, removedLines: oldLines.length }))
    : calls.flatMap((call) => call.files)
  return {
    added: counts.reduce((sum, { addedLines }) => sum + addedLines, 0),
    removed: counts.reduce((sum, { removedLines }) => sum + removedLines, 0),
  }
}
