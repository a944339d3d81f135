import type { CatalogueStatus, StarterStatus } from '../../../shared/domain/model/model-catalogue.ts'
import type { Language } from '../../../shared/i18n/translate.ts'
import type { SliceContext } from './slice.ts'

export function createCatalogueSlice(context: SliceContext) {
  const { client, get, patch, follow, attempt, tell } = context
  let isWatched = false
  const readyCount = (status: CatalogueStatus | null) =>
    status?.downloads.filter(({ state }) => state === 'ready').length ?? 0

  return {
    /** Null until it is first looked at. */
    status: null as CatalogueStatus | null,

    /** Follows the catalogue from now on; called again, it does nothing. */
    watch() {
      if (isWatched) return
      isWatched = true
      follow(
        (signal) => client['catalogue.watch']({}, { signal }),
        (status) => {
          const before = get().catalogue.status
          patch('catalogue', { status })
          tellFinished(before, status)
        },
        tell,
      )
    },
    /** Asks for the terms first where there are any and nothing of the model is here. */
    request(modelId: string) {
      const { status } = get().catalogue
      const model = status?.models.find((one) => one.modelId === modelId)
      const download = status?.downloads.find((one) => one.modelId === modelId)
      const isBegun = download?.state === 'paused' || (download?.receivedBytes ?? 0) > 0
      if (model?.termsId && !isBegun) get().ui.open({ kind: 'catalogue-terms', modelId })
      else void get().catalogue.start(modelId, isBegun)
    },
    start: (modelId: string, areTermsAccepted: boolean) =>
      attempt(() => client['download.start']({ modelId, areTermsAccepted })),
    pause: (modelId: string) => attempt(() => client['download.pause']({ modelId })),
    cancel: (modelId: string) => attempt(() => client['download.cancel']({ modelId })),
    remove: (modelId: string) => attempt(() => client['download.remove']({ modelId })),
  }

  /** Reports ended downloads by a toast: a download takes long, and the user may be writing by then. */
  function tellFinished(before: CatalogueStatus | null, after: CatalogueStatus): void {
    if (before !== null && readyCount(before) !== readyCount(after)) void get().models.discover()
    for (const { modelId, state, file, error } of after.downloads) {
      const last = before?.downloads.find((one) => one.modelId === modelId)
      if (last === undefined || last.state === state) continue
      const name = after.models.find((one) => one.modelId === modelId)?.name ?? modelId
      if (state === 'ready' && file !== null) {
        get().ui.toast(
          { key: 'catalogue.toast.ready', values: { name } },
          { key: 'models.use', run: () => void get().models.use({ backend: 'embedded', file }) },
        )
      } else if (state === 'failed' && error !== null && get().ui.dialog === null) get().ui.toastError(error)
    }
  }
}

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
