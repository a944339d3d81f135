import type { StarterStatus } from '../../../shared/domain/model/model-catalogue.ts'
import type { Language } from '../../../shared/i18n/translate.ts'
import type { SliceContext } from './slice.ts'

export function isStarterBusy(status: StarterStatus | null): boolean {
  return status !== null && ['preparing', 'fetching', 'checking'].includes(status.state)
}

export function createStarterSlice(context: SliceContext) {
  const { client, get, patch, follow, attempt, tell } = context
  return {
    status: null as StarterStatus | null,

    start() {
      follow(
        (signal) => client['starter.watch']({}, { signal }),
        (status) => {
          const wasBusy = isStarterBusy(get().starter.status)
          patch('starter', { status })
          if (wasBusy && status.state === 'ready') void get().models.discover()
        },
        tell,
      )
    },
    /** Asks for the terms first where there are any. */
    request(starterId: string) {
      const model = get().starter.status?.models.find((one) => one.starterId === starterId)
      if (model?.termsId) get().ui.open({ kind: 'terms', starterId })
      else void get().starter.fetch(starterId, false)
    },
    fetch: (starterId: string, areTermsAccepted: boolean) =>
      attempt(() => client['starter.fetch']({ starterId, areTermsAccepted })),
    cancel: () => attempt(() => client['starter.cancel']({})),
    terms: async (termsId: string, language: Language) =>
      (await client['starter.terms']({ termsId, language })).text,
  }
}
