import type { ApiOf, CallContext, Contract } from '../../shared/contract/method.ts'

/**
 * Creates the methods of a part of the product that is loaded when one of them is first called.
 *
 * Errors: each method also has those of `load`, which every call calls.
 */
export function createLateApi<C extends Contract>(contract: C, load: () => Promise<ApiOf<C>>): ApiOf<C> {
  type AnyApi = Record<string, (input: unknown, context: CallContext) => unknown>
  const methods = Object.entries(contract).map(([name, { kind }]) => {
    const method = async (input: unknown, context: CallContext): Promise<unknown> =>
      // The contract's entries are called by name here, so that their types are lost.
      ((await load()) as AnyApi)[name]?.(input, context)
    const stream = async function* (input: unknown, context: CallContext): AsyncGenerator<unknown> {
      yield* (await method(input, context)) as AsyncIterable<unknown>
    }
    return [name, kind === 'stream' ? stream : method] as const
  })
  return Object.fromEntries(methods) as ApiOf<C>
}
