/**
 * Runs a vector file against the real code: `npm run vectors -- FILE.json …`.
 *
 * A group is known by its key. Exits with 1 when a case fails, a group is unknown or nothing was run.
 */
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { vectorGroups } from './vectors/groups.ts'
import { isRecord, type VectorCase, type VectorGroup } from './vectors/vector-group.ts'

const files = process.argv.slice(2)
if (files.length === 0) {
  console.error('usage: npm run vectors -- FILE.json …')
  process.exit(1)
}

let isGood = true
for (const file of files) isGood = (await runFile(file)) && isGood
process.exit(isGood ? 0 : 1)

async function runFile(file: string): Promise<boolean> {
  const path = resolve(process.env.INIT_CWD ?? process.cwd(), file)
  const content: unknown = JSON.parse(await readFile(path, 'utf8'))
  if (!isRecord(content)) throw new Error(`${file}: wanted an object of groups`)

  let ran = 0
  let failed = 0
  const unknown: string[] = []
  for (const [key, cases] of Object.entries(content)) {
    if (!Array.isArray(cases)) {
      if (isRecord(cases)) unknown.push(`${key} (no list of cases)`)
      continue
    }
    const group = vectorGroups.find((known) => known.key === key)
    if (group === undefined) {
      unknown.push(`${key} (${cases.length} cases)`)
    } else if (group.isProse) {
      console.log(`${key}: ${cases.length} cases of prose for people, not run`)
    } else {
      const failures = await runGroup(group, cases)
      console.log(`${key}: ${cases.length - failures.length} of ${cases.length} pass`)
      for (const failure of failures) console.log(`  FAIL ${failure}`)
      ran += cases.length
      failed += failures.length
    }
  }
  for (const key of unknown) console.log(`unknown group: ${key}`)
  console.log(`${file}: ${ran - failed} of ${ran} pass`)
  if (ran === 0) console.log(`${file}: no known case was found`)
  return failed === 0 && unknown.length === 0 && ran > 0
}

async function runGroup(group: VectorGroup, cases: unknown[]): Promise<string[]> {
  const failures: string[] = []
  for (const [i, vector] of cases.entries()) {
    const id = isRecord(vector) && typeof vector.id === 'string' ? vector.id : `${group.key}[${i}]`
    const problem = isRecord(vector) ? await problemOf(group, vector) : 'wanted an object'
    if (problem !== undefined) failures.push(`${id}: ${problem}`)
  }
  return failures
}

async function problemOf(group: VectorGroup, vector: VectorCase): Promise<string | undefined> {
  try {
    return await group.run(vector)
  } catch (error) {
    return `threw ${String(error)}`
  }
}
