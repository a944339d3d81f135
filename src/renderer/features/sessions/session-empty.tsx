import type { ReactNode } from 'react'
import { useApp, useWords } from '../../state/store-context.tsx'
import { Button } from '../../ui/button.tsx'
import { ModelFit } from './model-fit.tsx'

const examples = ['explain', 'change', 'test'] as const

/** Says what a session is for. Without a model, how to come to one. */
export function SessionEmpty({ modelSetup }: { modelSetup: ReactNode }) {
  const { t } = useWords()
  const putBack = useApp((state) => state.composer.putBack)
  const hasNoModel = useApp((state) => state.models.isStatusKnown && state.models.status.state === 'none')
  if (hasNoModel) {
    return (
      <section className="session-empty" aria-label={t('session.empty.title')}>
        <h2>{t('session.noModel')}</h2>
        {modelSetup}
      </section>
    )
  }
  return (
    <section className="session-empty" aria-label={t('session.empty.title')}>
      <h2>{t('session.empty.title')}</h2>
      <p>{t('session.empty.lead')}</p>
      <ModelFit />
      <div className="session-examples">
        {examples.map((name) => {
          const text = t(`session.example.${name}`)
          return (
            <Button key={name} onClick={() => putBack([{ kind: 'text', text }])}>
              {text}
            </Button>
          )
        })}
      </div>
    </section>
  )
}
