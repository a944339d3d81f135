import type { EditorView } from '@codemirror/view'
import type { EditorSettings, PageSettings } from '../../shared/domain/app/editor-settings.ts'

/** Sets font, size, leading and measure of an element for text of one language. */
export function setPageMeasures(element: HTMLElement, settings: EditorSettings, language: 'ja' | 'en'): void {
  const page = settings[language]
  element.style.setProperty('--manuscript-font', fontOf(page, language))
  element.style.setProperty('--manuscript-size', `${page.fontSizePx}px`)
  element.style.setProperty('--manuscript-leading', `${page.lineHeight}`)
  element.style.setProperty('--manuscript-measure', `${page.measureEm}em`)
}

function fontOf({ font, fontFamily }: PageSettings, language: 'ja' | 'en'): string {
  const serif = language === 'ja' ? 'var(--serif)' : 'var(--serif-latin)'
  const family = fontFamily.trim().replaceAll(/["\\;{}]/g, '')
  if (font === 'own' && family !== '') return `"${family}", ${serif}`
  return font === 'sans' ? 'var(--sans)' : serif
}

/**
 * Sets the page of the language that the shown text is in. That language is told again some time after a change,
 * never between two keys.
 */
export class PageLanguage {
  readonly #view: EditorView
  readonly #languageOf: () => 'ja' | 'en'
  readonly #onChange: () => void
  #settings: EditorSettings
  #timer: ReturnType<typeof setTimeout> | undefined
  #language: 'ja' | 'en' | undefined

  constructor(
    view: EditorView,
    settings: EditorSettings,
    languageOf: () => 'ja' | 'en',
    onChange: () => void,
  ) {
    this.#view = view
    this.#settings = settings
    this.#languageOf = languageOf
    this.#onChange = onChange
    this.apply(settings)
  }

  get current(): 'ja' | 'en' {
    return this.#language ?? 'ja'
  }

  apply(settings: EditorSettings): void {
    this.#settings = settings
    this.#language = undefined
    this.tell()
  }

  /** Looks at the text again a moment later. */
  tellSoon(): void {
    this.#timer ??= setTimeout(() => this.tell(), tellDelayMs)
  }

  tell(): void {
    this.stop()
    const language = this.#languageOf()
    if (language === this.#language) return
    this.#language = language
    const { page } = this.#settings
    setPageMeasures(this.#view.dom, this.#settings, page === 'text' ? language : page)
    this.#view.dom.lang = language
    this.#view.requestMeasure()
    this.#onChange()
  }

  stop(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
  }
}

const tellDelayMs = 700
