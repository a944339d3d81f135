import { join } from 'node:path'
import { z } from 'zod'
import { readSmallText } from '../../../platform/files/read-regular-file.ts'

const words = z.string().transform((list): readonly string[] => list.split(' ').filter((word) => word !== ''))

/** `resources/shell/secret-variables.json`. */
const SecretVariables = z.strictObject({ about: z.string(), secret: z.array(words), harmless: words })

/** Loads the test for names of variables that hold a secret. Errors: a broken installation throws. */
export async function readSecretVariables(resourcesDir: string): Promise<(name: string) => boolean> {
  const text = await readSmallText(join(resourcesDir, 'shell', 'secret-variables.json'))
  const { secret, harmless } = SecretVariables.parse(JSON.parse(text))
  const isSecret = anyOf(secret.flat())
  const isHarmless = anyOf(harmless)
  return (name) => isSecret.test(name) && !isHarmless.test(name)
}

/** Matches any of the patterns: `*` stands for any characters or none; letter case does not matter. */
function anyOf(patterns: readonly string[]): RegExp {
  const sources = patterns.map((pattern) => pattern.replace(/[^\w*]/g, '\\$&').replaceAll('*', '.*'))
  return new RegExp(`^(?:${sources.join('|')})$`, 'is')
}
