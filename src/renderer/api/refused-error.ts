/** The host does not accept this window: a new link is needed, trying again is of no use. */
export class RefusedError extends Error {
  constructor() {
    super('The host refused this window')
    this.name = 'RefusedError'
  }
}
