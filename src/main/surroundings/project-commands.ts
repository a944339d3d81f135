import { parseJson } from '../../shared/text/json.ts'

/** The purpose of a command of a project. */
type CommandPurpose = 'test' | 'build' | 'lint'
/** A command that a folder's own files name. */
export type ProjectCommand = { purpose: CommandPurpose; line: string }

/** The files that name commands. */
export const projectFiles = ['package.json', 'pyproject.toml', 'Cargo.toml', 'go.mod', 'Makefile'] as const

/** Names of scripts and targets, with their purposes. */
const names: Readonly<Record<string, CommandPurpose>> = {
  test: 'test',
  tests: 'test',
  build: 'build',
  compile: 'build',
  lint: 'lint',
  check: 'lint',
  typecheck: 'lint',
  types: 'lint',
}

/** Returns a folder's commands for test, build and lint by its own files. Shape: `texts` by the name of the file. */
export function projectCommands(texts: ReadonlyMap<string, string>): ProjectCommand[] {
  const found = [
    ...npmScripts(texts.get('package.json')),
    ...pythonCommands(texts.get('pyproject.toml')),
    ...(texts.has('Cargo.toml') ? cargo : []),
    ...(texts.has('go.mod') ? go : []),
    ...makeTargets(texts.get('Makefile')),
  ]
  return found.filter(({ line }, at) => found.findIndex((other) => other.line === line) === at)
}

const cargo: readonly ProjectCommand[] = [
  { purpose: 'test', line: 'cargo test' },
  { purpose: 'build', line: 'cargo build' },
]
const go: readonly ProjectCommand[] = [
  { purpose: 'test', line: 'go test ./...' },
  { purpose: 'build', line: 'go build ./...' },
]

function npmScripts(text: string | undefined): ProjectCommand[] {
  if (text === undefined) return []
  const { scripts } = fieldsOf(parseJson(text))
  return Object.keys(fieldsOf(scripts)).flatMap((name) => {
    const purpose = purposeOf(name)
    return purpose === null ? [] : [{ purpose, line: name === 'test' ? 'npm test' : `npm run ${name}` }]
  })
}

function pythonCommands(text: string | undefined): ProjectCommand[] {
  if (text === undefined) return []
  const found: ProjectCommand[] = []
  if (/\bpytest\b/.test(text)) found.push({ purpose: 'test', line: 'python -m pytest' })
  if (/\[tool\.ruff\b/.test(text)) found.push({ purpose: 'lint', line: 'ruff check' })
  if (/\[tool\.mypy\b/.test(text)) found.push({ purpose: 'lint', line: 'mypy .' })
  return found
}

function makeTargets(text: string | undefined): ProjectCommand[] {
  if (text === undefined) return []
  return [...text.matchAll(/^([a-z]+)\s*:(?!=)/gm)].flatMap(([, name = '']) => {
    const purpose = purposeOf(name)
    return purpose === null ? [] : [{ purpose, line: `make ${name}` }]
  })
}

function purposeOf(name: string): CommandPurpose | null {
  return Object.hasOwn(names, name) ? (names[name] ?? null) : null
}

function fieldsOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
}
