import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import { createShellCheck } from '../../src/main/tools/shell/create-shell-check.ts'
import { isRefusal } from '../../src/main/tools/shell/programs/read-options.ts'
import { type GitConfiguration, readGitConfiguration } from '../../src/main/tools/shell/read-only-run.ts'
import type { VectorCase, VectorGroup } from './vector-group.ts'

const resourcesDir = fileURLToPath(new URL('../../resources/', import.meta.url))
let checking: ReturnType<typeof createShellCheck> | undefined

const Line = z.object({ cmd: z.string(), expected: z.boolean() })
/** `config` is `clean` or one `key=value` of the folder's git configuration. */
const InDirectory = Line.extend({ config: z.string() })

async function readOnlyFinding(line: string, configuration?: GitConfiguration) {
  checking ??= createShellCheck(resourcesDir)
  const check = await checking
  return check.readOnly(await check.read(line), configuration)
}

export async function isReadOnlyLine(line: string): Promise<boolean> {
  return !isRefusal(await readOnlyFinding(line))
}

async function readOnlyDifference(
  { cmd, expected }: z.infer<typeof Line>,
  configuration?: GitConfiguration,
): Promise<string | undefined> {
  const result = await readOnlyFinding(cmd, configuration)
  if (!isRefusal(result) === expected) return undefined
  const got = isRefusal(result) ? `refused for ${result.reason}: ${result.about}` : 'read-only'
  return `${JSON.stringify(cmd)}: wanted ${expected ? 'read-only' : 'a refusal'}, got ${got}`
}

/** The read-only check of command lines. */
export const shellGroups: VectorGroup[] = [
  { key: 'shellReadOnly', run: (vector: VectorCase) => readOnlyDifference(Line.parse(vector)) },
  {
    key: 'shellReadOnlyInDirectory',
    run(vector: VectorCase) {
      const { config, ...line } = InDirectory.parse(vector)
      const entry = config === 'clean' ? '' : config.replace('=', '\n')
      return readOnlyDifference(line, readGitConfiguration(entry))
    },
  },
]
