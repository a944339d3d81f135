import { z } from 'zod'
import { TextEncoding } from '../../shared/domain/work/text-encoding.ts'

type Bytes = { path: string; hash: string }

/** How the user said that files are read which could be read in two ways; as long as their bytes stay as they are. */
export type ChosenEncodings = {
  of(file: Bytes): TextEncoding | undefined
  note(file: Bytes, encoding: TextEncoding): void
}

const Choices = z.array(z.object({ path: z.string(), hash: z.string(), encoding: TextEncoding }))

/** Of one folder; the oldest are forgotten. */
const limitChoices = 500

/** `memory` keeps them: what is not understood there counts as nothing. */
export function chosenEncodings(memory: { get(): unknown; set(value: unknown): void }): ChosenEncodings {
  const all = () => Choices.safeParse(memory.get()).data ?? []
  const of = ({ path, hash }: Bytes) => all().find((one) => one.path === path && one.hash === hash)?.encoding
  return {
    of,
    note({ path, hash }, encoding) {
      if (of({ path, hash }) === encoding) return
      const others = all().filter((one) => one.path !== path)
      memory.set([...others, { path, hash, encoding }].slice(-limitChoices))
    },
  }
}
