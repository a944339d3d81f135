import { type ComponentType, useMemo } from 'react'
import type { SessionItem } from '../../../shared/domain/session/session-item.ts'
import type { SpeculationLinkState } from '../../../shared/domain/session/speculation.ts'
import { durationText } from '../../../shared/i18n/figure-text.ts'
import { ignoredWords } from '../../../shared/i18n/ignored-words.ts'
import { speculatedWork } from '../../../shared/i18n/speculated-work.ts'
import { diffHunks } from '../../../shared/text/difference/hunks.ts'
import type { SpeculationPreview as Preview } from '../../state/slices/session/speculation-slice.ts'
import { useApp, useWords } from '../../state/store-context.tsx'
import { FoldedFile } from '../../ui/diff/folded-file.tsx'
import { Pieces } from '../../ui/verbatim.tsx'
import { FileDiff, modeWords } from '../diff/file-diff.tsx'

type SpeculationPreviewProps = {
  link: SpeculationLinkState
  /** Shows the conversation of the speculation. */
  Items: ComponentType<{ items: readonly SessionItem[] }>
}

/** A speculation, for reading: its files with their changes, what was said, what it cost and what Tab does. */
export function SpeculationPreview({ link, Items }: SpeculationPreviewProps) {
  const { t } = useWords()
  const preview = useApp((state) => state.speculation.preview)
  return (
    <div className="speculation-preview">
      <p>
        <b>{speculatedWork(t, link)}</b>
      </p>
      <Figures link={link} />
      {preview?.is == null ? (
        <p className="dim late">{t('loading')}</p>
      ) : (
        <Loaded is={preview.is} Items={Items} />
      )}
    </div>
  )
}

function Figures({ link: { cost, onAccept, modelName, turns } }: { link: SpeculationLinkState }) {
  const { t, language } = useWords()
  const { promptTokens, completionTokens, ms } = cost
  return (
    <p className="small dim">
      {t('speculation.cost', {
        model: modelName,
        requests: turns,
        read: promptTokens,
        written: completionTokens,
        time: durationText(t, ms),
      })}
      {onAccept !== null && (language === 'ja' ? '' : ' ') + t(`speculation.onAccept.${onAccept}`)}
    </p>
  )
}

function Loaded({
  is: { files, ignored, items },
  Items,
}: { is: Preview } & Pick<SpeculationPreviewProps, 'Items'>) {
  const { t, language } = useWords()
  return (
    <>
      {files.map((file) => (
        <FoldedFile
          key={file.path}
          path={file.path}
          facts={[
            t(`gate.file.${file.action}`),
            t('gate.file.lines', { added: file.addedLines, removed: file.removedLines }),
            ...modeWords(t, file),
          ]}
        >
          <PreviewDiff file={file} />
        </FoldedFile>
      ))}
      {ignored.map((part) => (
        <p key={part.top} className="small dim">
          <Pieces text={ignoredWords(t, language, part, true)} />
        </p>
      ))}
      <section className="speculation-items" aria-label={t('speculation.preview.conversation')}>
        <h3 className="label">{t('speculation.preview.conversation')}</h3>
        <Items items={items} />
      </section>
    </>
  )
}

function PreviewDiff({ file }: { file: Preview['files'][number] }) {
  const { t } = useWords()
  const { path, oldText, newText, isOpaque } = file
  const hunks = useMemo(() => diffHunks(oldText ?? '', newText ?? ''), [oldText, newText])
  if (hunks.length === 0)
    return <p className="dim">{t(isOpaque ? 'gate.file.opaque' : 'gate.file.noPlaces')}</p>
  const label = t('gate.file.toggle', { path })
  return <FileDiff label={label} path={path} oldText={oldText} newText={newText} hunks={hunks} />
}
