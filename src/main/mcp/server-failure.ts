/** `during`: the call may have been carried out; `down`, or `changed` (the tool is another now): it was not made. */
export class ServerFailure extends Error {
  readonly when: 'down' | 'during' | 'changed'

  constructor(when: ServerFailure['when'], problem: string) {
    super(problem)
    this.name = 'ServerFailure'
    this.when = when
  }
}
