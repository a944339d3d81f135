import type { Word } from '../parsing/shell-word.ts'
import { wordSet } from '../parsing/text-scan.ts'
import { type CommandReads, plainNames } from './command-words.ts'
import { isRefusal, type Refusal } from './read-options.ts'

const alone = wordSet(
  '! , -a -and -daystart -depth -empty -executable -false -follow -ls -mount -noleaf -nogroup -not -nouser',
  '-o -or -print -print0 -prune -quit -readable -true -writable -xdev ( )',
)
const withText = wordSet(
  '-amin -atime -cmin -ctime -fstype -gid -group -ilname -iname -inum -ipath -iregex -iwholename -links -lname',
  '-maxdepth -mindepth -mmin -mtime -name -newermt -newerat -newerct -path -perm -printf -regex -regextype',
  '-size -type -uid -used -user -wholename -xtype',
)
const withPath = wordSet('-anewer -cnewer -newer -newermm -neweraa -newercc -samefile')
/** Operators because of which a test need not hold for the part that follows. */
const choosing = wordSet('! , -not -o -or ( )')
const leading = /^-(?:[HLP]|O[0-3])$/

/** Reads the words after `find` by its own grammar; any test or action that is not known refuses. */
export function findWords(
  words: readonly Word[],
  checkInner: (words: readonly Word[]) => CommandReads | Refusal,
): CommandReads | Refusal {
  const found: CommandReads & { innerPaths: (Word | string)[] } = {
    ...{ paths: [], isDeep: true, followsLinks: false, innerPaths: [], isInnerDeep: false, named: null },
    // True where it holds for every command of the expression.
    skipsBinary: true,
  }
  /** True while every test so far must hold for the part that follows. */
  let isConjunction = true
  let names: string[] = []
  let index = 0
  for (; leading.test(words[index]?.value ?? ''); index++) {
    if (words[index]?.value === '-L') found.followsLinks = true
  }
  for (; index < words.length && !/^(?:-|[()!,]$)/.test(words[index]?.value ?? '-'); index++) {
    const word = words[index]
    if (word !== undefined) found.paths.push(word)
  }
  if (found.paths.length === 0) found.paths.push('.')
  for (; index < words.length; index++) {
    const word = words[index]
    const text = word?.value
    if (word === undefined || text === null || text === undefined)
      return { reason: 'expansion', about: word?.raw ?? '' }
    if (text === '-follow') found.followsLinks = true
    if (choosing.has(text)) isConjunction = false
    if (alone.has(text)) continue
    if (text === '-exec') {
      const end = words.findIndex((each, at) => at > index && (each.value === '+' || each.value === ';'))
      const inner = end < 0 ? null : execWords(words.slice(index + 1, end), checkInner)
      if (inner === null) return { reason: 'option', about: word.raw }
      found.innerPaths.push(...inner.paths)
      found.isInnerDeep ||= inner.isDeep
      found.followsLinks ||= inner.followsLinks
      // Names do not limit a command that reads whole folders (one may have such a name), nor a second command.
      found.named = found.readsFound || inner.isDeep ? null : plainNames(names)
      found.readsFound = true
      found.skipsBinary &&= inner.skipsBinary === true
      index = end
      continue
    }
    const value = words[index + 1]
    const isKnown = withText.has(text) || withPath.has(text)
    if (!isKnown || value === undefined) return { reason: 'option', about: word.raw }
    if (value.value === null) return { reason: 'expansion', about: value.raw }
    // An action in the place of a value: some versions of `find` would read it as an action.
    if (/^-[a-z]/i.test(value.value)) return { reason: 'option', about: value.raw }
    if (text === '-name') names = [value.value]
    if (withPath.has(text)) found.paths.push(value)
    index += 1
  }
  if (!isConjunction) found.named = null
  return found
}

/** Reads the words of `-exec`; null unless `{}` stands once, as the last word, where the command takes files. */
function execWords(
  words: readonly Word[],
  checkInner: (words: readonly Word[]) => CommandReads | Refusal,
): CommandReads | null {
  const last = words.at(-1)
  const isPlain = words.slice(0, -1).every(({ value }) => value !== null && !value.includes('{}'))
  if (words.length < 2 || last?.raw !== '{}' || !isPlain) return null
  const inner = checkInner(words)
  if (isRefusal(inner) || !inner.paths.includes(last)) return null
  return { ...inner, paths: inner.paths.filter((path) => path !== last) }
}
