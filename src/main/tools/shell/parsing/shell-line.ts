import { plainLine, type Redirect, type SimpleCommand } from './plain-line.ts'
import { type Token, tokensOf } from './shell-lexer.ts'
import type { ShellNode } from './shell-parser.ts'
import { readWord, type Word } from './shell-word.ts'
import { wordSet } from './text-scan.ts'

/**
 * A parsed command line.
 *
 * Shape: `plain` where it consists of nothing but lists, pipelines and groups and both readers see the same
 * words; then `commands` is complete and sure. `complex` has other structure (loops, functions,
 * substitutions) or something unknown: `commands` are those that the parser finds, nested ones included,
 * enough to refuse the line, never to allow it. `broken` is a syntax error, `empty` a line without words.
 */
export type ShellLine = {
  source: string
  kind: 'plain' | 'complex' | 'broken' | 'empty'
  commands: readonly SimpleCommand[]
  redirects: readonly Redirect[]
}

const structures = wordSet(
  'program list pipeline command command_name redirected_statement file_redirect heredoc_redirect',
  'herestring_redirect subshell compound_statement negated_command variable_assignments',
)
/** Types of nodes that are compared as a whole; the word reader reads their content a second time. */
const wholes = wordSet(
  'word string raw_string ansi_c_string concatenation number simple_expansion expansion',
  'variable_assignment test_command file_descriptor heredoc_start heredoc_end comment brace_expression',
  'arithmetic_expansion',
)
const insideWholes = wordSet(
  'string_content variable_name special_variable_name regex test_operator unary_expression',
  'binary_expression parenthesized_expression brace_expression',
)
const insideHeredoc = new Set(['heredoc_body', 'heredoc_content', 'simple_expansion', 'variable_name'])

const commandTypes = new Set(['command', 'declaration_command', 'unset_command', 'test_command'])
const redirectTypes = new Set(['file_redirect', 'herestring_redirect'])

/** Combines the two readings of a line: the parser's tree, and our own tokens. */
export function shellLine(source: string, tree: ShellNode | null): ShellLine {
  if (source.trim() === '') return { source, kind: 'empty', commands: [], redirects: [] }
  if (tree === null) return { source, kind: 'broken', commands: [], redirects: [] }
  const tokens = tokensOf(source)
  const plain = tokens === null ? null : plainLine(source, tokens)
  if (tokens !== null && plain !== null && isAgreed(source, tree, tokens))
    return { source, kind: 'plain', ...plain }
  const found: { commands: SimpleCommand[]; redirects: Redirect[] } = { commands: [], redirects: [] }
  collect(source, tree, found)
  return { source, kind: isBroken(tree) ? 'broken' : 'complex', ...found }
}

function isBroken(node: ShellNode): boolean {
  return node.isBroken || node.children.some(isBroken)
}

type Span = { from: number; to: number }

/** True where the tree is made of known nodes only and its smallest parts are our tokens. */
function isAgreed(source: string, tree: ShellNode, tokens: readonly Token[]): boolean {
  const parts: Span[] = []
  const tests: Span[] = []
  if (!flatten(source, tree, parts, tests)) return false
  const mine = tokens.filter(({ kind }) => kind !== 'newline').map(spanOf)
  const joined = tests.reduce(joinTest, mine)
  if (joined.length !== parts.length) return false
  parts.sort((a, b) => a.from - b.from)
  return joined.every(({ from, to }, index) => parts[index]?.from === from && parts[index]?.to === to)

  function spanOf({ kind, from, to }: Token): Span {
    // Leading tabs of an indented delimiter are not part of the token.
    return { from: kind === 'heredoc-end' ? from + leadingTabs(source, from, to) : from, to }
  }
}

function leadingTabs(source: string, from: number, to: number): number {
  return /^\t*/.exec(source.slice(from, to))?.[0].length ?? 0
}

/** Joins the words of `[ … ]`: the parser reads one node, our reader a command with words. */
function joinTest(spans: Span[], test: Span): Span[] {
  const first = spans.findIndex(({ from }) => from === test.from)
  const last = spans.findIndex(({ to }) => to === test.to)
  if (first < 0 || last < first) return []
  return [...spans.slice(0, first), test, ...spans.slice(last + 1)]
}

function flatten(source: string, node: ShellNode, parts: Span[], tests: Span[]): boolean {
  if (node.isBroken) return false
  if (node.type === 'heredoc_body') return isMadeOf(node, insideHeredoc)
  if (!node.isNamed) {
    if (source.slice(node.from, node.to).trim() !== '') parts.push(node)
    return node.children.length === 0
  }
  if (wholes.has(node.type)) {
    const span =
      node.type === 'heredoc_end'
        ? { from: node.from + leadingTabs(source, node.from, node.to), to: node.to }
        : node
    parts.push(span)
    if (node.type === 'test_command') tests.push(node)
    return node.children.every((child) => isMadeOf(child, insideWholes, wholes))
  }
  return structures.has(node.type) && node.children.every((child) => flatten(source, child, parts, tests))
}

function isMadeOf(node: ShellNode, ...known: ReadonlySet<string>[]): boolean {
  if (node.isBroken || (node.isNamed && !known.some((types) => types.has(node.type)))) return false
  return node.children.every((child) => isMadeOf(child, ...known))
}

/** Collects every command and redirection of the tree, at any depth. */
function collect(
  source: string,
  node: ShellNode,
  found: { commands: SimpleCommand[]; redirects: Redirect[] },
): void {
  if (commandTypes.has(node.type)) found.commands.push(commandOf(source, node))
  if (redirectTypes.has(node.type)) found.redirects.push(redirectOf(source, node))
  for (const child of node.children) collect(source, child, found)
}

function commandOf(source: string, node: ShellNode): SimpleCommand {
  const word = ({ from, to }: ShellNode): Word => readWord(source, from, to)
  const isDeclaration = node.type === 'declaration_command' || node.type === 'unset_command'
  const words = node.children
    .filter(({ type, isNamed }, index) => {
      if (redirectTypes.has(type) || type === 'heredoc_redirect') return false
      if (type === 'variable_assignment') return isDeclaration
      return isNamed || index === 0 || node.type === 'test_command'
    })
    .map(word)
  const assignments = isDeclaration
    ? []
    : node.children.filter(({ type }) => type === 'variable_assignment').map(word)
  return { words, assignments, from: node.from, to: node.to }
}

function redirectOf(source: string, node: ShellNode): Redirect {
  const operator = node.children.find(({ isNamed }) => !isNamed)
  const target = node.children.findLast(({ isNamed, type }) => isNamed && type !== 'file_descriptor')
  return {
    operator: operator === undefined ? '' : source.slice(operator.from, operator.to),
    target: target === undefined ? null : readWord(source, target.from, target.to),
  }
}
