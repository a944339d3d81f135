import type { EditorView } from '@codemirror/view'
import type { EditorSettings, PageSettings } from '../../shared/domain/app/editor-settings.ts'
import type { PageChoice } from '../../shared/domain/work/work-file.ts'
import type { PausedTask, WhenPaused } from './when-paused.ts'

/** Sets font, size, leading and measure of an element as one of the two pages has them. */
export function setPageMeasures(element: HTMLElement, settings: EditorSettings, choice: PageChoice): void {
  const page = settings[choice]
  element.style.setProperty('--manuscript-font', fontOf(page, choice))
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
 * Sets the page of the shown text: the author's choice, else the page of the language that the text is in. That
 * language is detected again at a pause after a change, never between two keys.
 */
export class PageLanguage {
  readonly #view: EditorView
  readonly #text: { language(): 'ja' | 'en'; chosenPage(): PageChoice | null }
  readonly #onChange: () => void
  #settings: EditorSettings
  readonly #telling: PausedTask
  #language: 'ja' | 'en' | undefined
  #page: PageChoice | undefined

  constructor(
    view: EditorView,
    settings: EditorSettings,
    paused: WhenPaused,
    text: { language(): 'ja' | 'en'; chosenPage(): PageChoice | null },
    onChange: () => void,
  ) {
    this.#view = view
    this.#telling = paused.task(() => this.tell())
    this.#settings = settings
    this.#text = text
    this.#onChange = onChange
    this.apply(settings)
  }

  get current(): 'ja' | 'en' {
    return this.#language ?? 'ja'
  }

  /** The author's choice for this text comes before that for all texts, and that before the text's language. */
  get page(): PageChoice {
    const { page } = this.#settings
    return this.#text.chosenPage() ?? (page === 'text' ? this.current : page)
  }

  apply(settings: EditorSettings): void {
    this.#settings = settings
    this.#language = undefined
    this.tell()
  }

  /** Detects the language again at the next pause. */
  tellSoon(): void {
    this.#telling.hear()
  }

  tell(): void {
    this.stop()
    const language = this.#text.language()
    const isSame = language === this.#language && this.page === this.#page
    if (isSame) return
    this.#language = language
    this.#page = this.page
    setPageMeasures(this.#view.dom, this.#settings, this.#page)
    this.#view.dom.lang = language
    this.#view.requestMeasure()
    this.#onChange()
  }

  stop(): void {
    this.#telling.stop()
  }
}
