/** Makes a method with an empty answer, given once `work` is done. */
export function done<Input>(
  work: (input: Input) => void | Promise<void>,
): (input: Input) => Promise<Record<string, never>> {
  return async (input) => {
    await work(input)
    return {}
  }
}
