import type { StarterStatus } from '../../../shared/domain/model/starter-status.ts'
import type { Language } from '../../../shared/i18n/translate.ts'
import { infoOf } from './follow.ts'
import type { SliceContext } from './slice.ts'

export type StarterSlice = {
  status: StarterStatus | null
  start(): void
  /** Asks for the terms first where there are any. */
  request(starterId: string): void
  fetch(starterId: string, areTermsAccepted: boolean): Promise<void>
  cancel(): Promise<void>
  terms(termsId: string, language: Language): Promise<string>
}

export function isStarterBusy(status: StarterStatus | null): boolean {
  return status !== null && ['preparing', 'fetching', 'checking'].includes(status.state)
}

export function createStarterSlice(context: SliceContext): StarterSlice {
  const { client, get, patch, follow } = context
  const attempt = async (task: () => Promise<unknown>) => {
    try {
      await task()
    } catch (error) {
      get().ui.toastError(infoOf(error))
    }
  }

  return {
    status: null,

    start() {
      follow(
        (signal) => client['starter.watch']({}, { signal }),
        (status) => {
          const wasBusy = isStarterBusy(get().starter.status)
          patch('starter', { status })
          if (wasBusy && status.state === 'ready') void get().models.discover()
        },
        (error) => get().ui.toastError(infoOf(error)),
      )
    },
    request(starterId) {
      const model = get().starter.status?.models.find((one) => one.starterId === starterId)
      if (model?.termsId) get().ui.open({ kind: 'terms', starterId })
      else void get().starter.fetch(starterId, false)
    },
    fetch: (starterId, areTermsAccepted) =>
      attempt(() => client['starter.fetch']({ starterId, areTermsAccepted })),
    cancel: () => attempt(() => client['starter.cancel']({})),
    terms: async (termsId, language) => (await client['starter.terms']({ termsId, language })).text,
  }
}
