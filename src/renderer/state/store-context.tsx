import { createContext, type ReactNode, useContext, useMemo } from 'react'
import { useStore } from 'zustand'
import type { ErrorInfo } from '../../shared/errors.ts'
import {
  chooseLanguage,
  createTranslate,
  errorText,
  type Language,
  type Translate,
} from '../../shared/i18n/translate.ts'
import type { AppState } from './app-state.ts'
import type { AppStore } from './app-store.ts'

const StoreContext = createContext<AppStore | null>(null)

export function StoreProvider({ store, children }: { store: AppStore; children: ReactNode }) {
  return <StoreContext value={store}>{children}</StoreContext>
}

export function useAppStore(): AppStore {
  const store = useContext(StoreContext)
  if (store === null) throw new Error('no StoreProvider around this component')
  return store
}

/** Renders again when what `select` returns is another object or value. */
export function useApp<T>(select: (state: AppState) => T): T {
  return useStore(useAppStore(), select)
}

export type Words = { t: Translate; language: Language; errorText: (info: ErrorInfo) => string }

/** Returns the chosen language, else the command line's, else the browser's or, on the desktop, the system's. */
export function languageOf({ settings, connection: { host } }: AppState): Language {
  const isHosts = host !== null && (host.kind === 'electron' || host.isLocaleChosen)
  return chooseLanguage(settings.value.language, isHosts ? host.locale : navigator.language)
}

export function useWords(): Words {
  const language = useApp(languageOf)
  return useMemo(() => {
    const t = createTranslate(language)
    return { t, language, errorText: (info: ErrorInfo) => errorText(t, language, info) }
  }, [language])
}
