/**
 * `during`: the call may have been carried out; `down`, `changed` (the tool is another now), or `forgotten` (the server
 * does not know this connection any more): it was not made.
 */
export class ServerFailure extends Error {
  readonly when: 'down' | 'during' | 'changed' | 'forgotten'

  constructor(when: ServerFailure['when'], problem: string) {
    super(problem)
    this.name = 'ServerFailure'
    this.when = when
  }
}
