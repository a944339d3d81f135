import { z } from 'zod'
import { TextEncoding } from '../../shared/domain/work/text-encoding.ts'

type Bytes = { path: string; hash: string }

/** The user's choices of encoding for files that fit two encodings. A choice is valid while the file is unchanged. */
export type ChosenEncodings = ReturnType<typeof chosenEncodings>

const Choices = z.array(z.object({ path: z.string(), hash: z.string(), encoding: TextEncoding }))

/** Maximum number of choices per folder; the oldest are forgotten. */
const limitChoices = 500

/** Creates the choices that are stored in `memory`; unreadable stored values count as empty. */
export function chosenEncodings(memory: { get(): unknown; set(value: unknown): void }) {
  const all = () => Choices.safeParse(memory.get()).data ?? []
  const of = ({ path, hash }: Bytes) => all().find((one) => one.path === path && one.hash === hash)?.encoding
  return {
    of,
    note({ path, hash }: Bytes, encoding: TextEncoding): void {
      if (of({ path, hash }) === encoding) return
      const others = all().filter((one) => one.path !== path)
      memory.set([...others, { path, hash, encoding }].slice(-limitChoices))
    },
  }
}
