import { type ComponentType, useState } from 'react'
import type { SessionItem } from '../../../../shared/domain/session/session-item.ts'
import type { SpeculationLinkState } from '../../../../shared/domain/session/speculation.ts'
import { durationText } from '../../../../shared/i18n/figure-text.ts'
import { speculatedWork } from '../../../../shared/i18n/speculated-work.ts'
import { sizeText } from '../../../../shared/i18n/translate.ts'
import type { SpeculationPreview as Preview } from '../../../state/slices/session/speculation-slice.ts'
import { useApp, useWords } from '../../../state/store-context.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { Pieces } from '../../../ui/verbatim.tsx'
import { PreviewDiff } from './preview-diff.tsx'

type SpeculationPreviewProps = {
  link: SpeculationLinkState
  /** Shows what was said and done. */
  Items: ComponentType<{ items: readonly SessionItem[] }>
}

/** What was done ahead, for reading: its files with their changes, what was said, what it cost and what Tab does. */
export function SpeculationPreview({ link, Items }: SpeculationPreviewProps) {
  const { t } = useWords()
  const preview = useApp((state) => state.speculation.preview)
  return (
    <div className="ahead-preview">
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

/** What it cost, and what accepting it does next. */
function Figures({ link: { cost, onAccept, modelName, turns } }: { link: SpeculationLinkState }) {
  const { t } = useWords()
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
      {onAccept !== null && ` ${t(`speculation.onAccept.${onAccept}`)}`}
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
        <PreviewFile key={file.path} file={file} />
      ))}
      {ignored.map(({ top, files: count, sizeBytes }) => (
        <p key={top} className="small dim">
          <Pieces
            text={t('gate.effects.ignored', { top, files: count, size: sizeText(language, sizeBytes) })}
          />
        </p>
      ))}
      <section className="ahead-items" aria-label={t('speculation.preview.conversation')}>
        <h3 className="label">{t('speculation.preview.conversation')}</h3>
        <Items items={items} />
      </section>
    </>
  )
}

function PreviewFile({ file }: { file: Preview['files'][number] }) {
  const { t } = useWords()
  const [isOpen, setIsOpen] = useState(false)
  const { path, action, addedLines, removedLines } = file
  return (
    <div className="gate-file">
      <button
        type="button"
        className="gate-file-head"
        aria-expanded={isOpen}
        onClick={() => setIsOpen(!isOpen)}
      >
        <Icon name={isOpen ? 'down' : 'chevron'} size={14} />
        <span className="gate-file-path">
          <Pieces text={path} />
        </span>
        <span>{t(`gate.file.${action}`)}</span>
        <span>{t('gate.file.lines', { added: addedLines, removed: removedLines })}</span>
      </button>
      {isOpen && <PreviewDiff file={file} />}
    </div>
  )
}
