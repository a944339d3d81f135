/** `during`: the call may have been carried out; `down`: it was not made. */
export class ServerFailure extends Error {
  readonly when: 'down' | 'during'

  constructor(when: 'down' | 'during', problem: string) {
    super(problem)
    this.name = 'ServerFailure'
    this.when = when
  }
}
