import type { SpeculationBoundary } from '../../../shared/domain/session/speculation.ts'
import { useApp, useAppStore, useWords } from '../../state/store-context.tsx'
import { Button } from '../../ui/button.tsx'
import { Pieces } from '../../ui/verbatim.tsx'

type BoundaryProps = { boundary: SpeculationBoundary; speculationId: string }

/** The step at which a speculation stopped: it follows after the acceptance, as any other step does. */
export function Boundary({ boundary: { kind, title, copy }, speculationId }: BoundaryProps) {
  const { t } = useWords()
  return (
    <>
      <p className="speculation-boundary dim">
        {t(`speculation.boundary.${kind}`)}
        {title !== '' && (
          <>
            {' '}
            <code>
              <Pieces text={title} />
            </code>
          </>
        )}
      </p>
      {copy !== undefined && <CopyHint copy={copy} speculationId={speculationId} />}
    </>
  )
}

type CopyHintProps = { copy: NonNullable<SpeculationBoundary['copy']>; speculationId: string }

/** Says why the command was not run in a copy, with the press that changes it. */
function CopyHint({ copy, speculationId }: CopyHintProps) {
  const { t } = useWords()
  const store = useAppStore()
  const { setSandboxed } = useApp((state) => state.consent)
  const { rerun } = useApp((state) => state.speculation)
  const open = useApp((state) => state.ui.open)
  const turnOn = async (): Promise<void> => {
    store.messageBox.current?.focus()
    await setSandboxed(true)
    await rerun(speculationId)
  }
  return (
    <div className="row speculation-actions">
      <p className="grow small dim">{t(`speculation.copy.${copy}`)}</p>
      {copy === 'off' && (
        <Button look="quiet" onClick={() => void turnOn()}>
          {t('speculation.copy.turnOn')}
        </Button>
      )}
      {copy === 'missing' && (
        <Button look="quiet" onClick={() => open({ kind: 'settings', section: 'rules' })}>
          {t('speculation.copy.why')}
        </Button>
      )}
    </div>
  )
}
