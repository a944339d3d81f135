import type { Node, Parser } from 'web-tree-sitter'
import { readSmallFile } from '../../../platform/files/read-regular-file.ts'

/** A node of bash's grammar, copied out of the parser's memory. Shape: half-open, UTF-16 code units. */
export type ShellNode = {
  type: string
  isNamed: boolean
  /** True for an error, or for a node that the parser inserted to go on. */
  isBroken: boolean
  from: number
  to: number
  children: readonly ShellNode[]
}

/** The two WebAssembly files: the parser's runtime and bash's grammar. */
export type ShellGrammarFiles = { runtime: string; grammar: string }

/** Maximum length of a line: no user reads a longer one before consenting either. Units: UTF-16 code units. */
const limitLine = 10_000
const limitDepth = 200

/**
 * Returns the function that parses command lines; null for a line that is too long or too deeply nested. Its one parser
 * is loaded with the first line (about 0.2 s).
 *
 * Errors: throws where the files cannot be read; the next line tries again.
 */
export function createShellParser(
  files: ShellGrammarFiles,
): (line: string, limitCharacters?: number) => Promise<ShellNode | null> {
  let loading: Promise<Parser> | undefined
  const load = () => {
    loading ??= loadParser(files).catch((error: unknown) => {
      loading = undefined
      throw error
    })
    return loading
  }
  return async (line, limitCharacters = limitLine) => {
    if (line.length > limitCharacters) return null
    const tree = (await load()).parse(line)
    if (tree === null) return null
    try {
      return copied(tree.rootNode, 0)
    } finally {
      tree.delete()
    }
  }
}

async function loadParser({ runtime, grammar }: ShellGrammarFiles): Promise<Parser> {
  const { Language, Parser } = await import('web-tree-sitter')
  await Parser.init({ wasmBinary: await readSmallFile(runtime) })
  const parser = new Parser()
  parser.setLanguage(await Language.load(await readSmallFile(grammar)))
  return parser
}

function copied(node: Node, depth: number): ShellNode | null {
  if (depth > limitDepth) return null
  const children: ShellNode[] = []
  for (const child of node.children) {
    const copy = copied(child, depth + 1)
    if (copy === null) return null
    children.push(copy)
  }
  return {
    type: node.type,
    isNamed: node.isNamed,
    isBroken: node.isError || node.isMissing,
    from: node.startIndex,
    to: node.endIndex,
    children,
  }
}
