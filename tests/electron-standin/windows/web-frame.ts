import type { WebFrameMain } from 'electron'
import { documentClass } from '../documented.ts'

/** The main frame of a page, as the sender of a message. */
export class StandInWebFrame implements Pick<WebFrameMain, 'url' | 'origin' | 'parent'> {
  readonly #url: string

  constructor(url: string) {
    this.#url = url
  }
  get url(): string {
    return this.#url
  }
  get origin(): string {
    if (this.#url === '') return 'null'
    const { protocol, host, origin } = new URL(this.#url)
    return origin === 'null' ? `${protocol}//${host}` : origin
  }
  get parent(): null {
    return null
  }
}
documentClass('WebFrameMain', StandInWebFrame)
