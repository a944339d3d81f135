import type { GitRules } from '../command-rule.ts'
import type { Word } from '../parsing/shell-word.ts'
import { wordSet } from '../parsing/text-scan.ts'
import { type CommandReads, ruledWords, valuesOf } from './command-words.ts'
import { isRefusal, type Refusal } from './read-options.ts'

/** A use of git in a line. Shape: `subcommand` is null for `git`, `git --version` and `git --help`. */
export type GitCommand = {
  name: Word
  subcommand: Word | null
  /** The folders named by `-C`, in their order. */
  folders: readonly string[]
  /** True where git runs in another folder than the line: after a `cd`, or by `-C`. */
  isElsewhere: boolean
  /** `git` itself and all its arguments. */
  words: readonly Word[]
  hasOperands: boolean
  /** The names of the subcommand's options. */
  options: readonly string[]
  /** The folders that a `cd` may have led to, '' where the line starts; null where that is not known. */
  places: readonly string[] | null
}

/** Options before the subcommand that change nothing but how git prints and locks. */
const globalFlags = wordSet(
  '--no-pager -P --no-optional-locks --literal-pathspecs --no-replace-objects --no-advice',
)
/** Parts of formats that run a program (gpg for signatures, git for descriptions) or print an object as it is. */
const refusedFormat = /%G|%\(\*?(?:signature|describe|raw)/

/** Checks a use of git; `words` begins with `git` itself. */
export function checkGit(
  rules: GitRules,
  words: readonly Word[],
  places: readonly string[] | null,
): { git: GitCommand; reads: CommandReads } | Refusal {
  const [name, ...rest] = words
  const unknown = rest.find((word) => word.value === null)
  if (name === undefined || unknown !== undefined) return { reason: 'expansion', about: unknown?.raw ?? '' }
  const folders: string[] = []
  let index = 0
  for (; index < rest.length; index++) {
    const text = rest[index]?.value ?? ''
    if (text === '-C') folders.push(rest[++index]?.value ?? '')
    else if (!globalFlags.has(text)) break
  }
  const isElsewhere = places?.length !== 1 || folders.some((folder) => folder !== '.')
  const nothing: CommandReads = { paths: [], isDeep: false, followsLinks: false }
  const subcommand = rest[index]
  if (subcommand === undefined || (rest.length === 1 && ['--version', '--help'].includes(subcommand.raw))) {
    return {
      git: { name, subcommand: null, folders, isElsewhere, words, hasOperands: false, options: [], places },
      reads: nothing,
    }
  }
  const rule = rules.get(subcommand.value ?? '')
  // A quoted name means the same, but is refused: options are inserted after the name in the line that is run.
  if (rule === undefined || subcommand.raw !== subcommand.value)
    return { reason: 'command', about: subcommand.raw }
  const args = rest.slice(index + 1)
  const running = args.find((word) => refusedFormat.test(word.value ?? ''))
  if (running !== undefined) return { reason: 'option', about: running.raw }
  const ruled = ruledWords(rule, args)
  if (isRefusal(ruled)) return ruled
  const ranges = subcommand.value === 'blame' ? [] : valuesOf(ruled, new Set(['L']))
  const inRanges = ranges.map((range) => range.slice(range.lastIndexOf(':') + 1))
  // Versions differ on which options take the word behind them (`--unified 3`): it may as well be a path.
  const separate = ruled.options.flatMap(({ value }) =>
    typeof value === 'object' ? (value?.value ?? []) : [],
  )
  const named = [...ruled.paths.flatMap(insideRevision), ...inRanges]
  const paths = [...named, ...separate].map((path) => inFolders(folders, path))
  if (named.length === 0) paths.push(inFolders(folders, '.'))
  return {
    git: {
      ...{ name, subcommand, folders, isElsewhere, words, places },
      hasOperands: ruled.operands.length > 0,
      options: ruled.options.map(({ name: option }) => option),
    },
    reads: { paths, isDeep: ruled.isDeep, followsLinks: false },
  }
}

/** Returns the paths that a word may mean: `HEAD:a.ts` names `a.ts`, and may be a file itself. */
function insideRevision(path: Word | string): string[] {
  const text = typeof path === 'string' ? path : (path.value ?? '')
  return text.includes(':') && !text.startsWith(':')
    ? [text, text.slice(text.indexOf(':') + 1) || '.']
    : [text]
}

function inFolders(folders: readonly string[], path: string): string {
  return [...folders, path].reduce((base, next) =>
    base === '' || next.startsWith('/') ? next : `${base}/${next}`,
  )
}
