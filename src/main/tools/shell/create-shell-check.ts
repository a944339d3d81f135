import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { readSmallText } from '../../platform/files/read-regular-file.ts'
import { isOpaque, type LineRisk, lineRisks, RiskRules } from './command-risk.ts'
import { CommandRules, GitRules } from './command-rule.ts'
import type { SimpleCommand } from './parsing/plain-line.ts'
import { type ShellLine, shellLine } from './parsing/shell-line.ts'
import { createShellParser, type ShellGrammarFiles } from './parsing/shell-parser.ts'
import { isRefusal, type Refusal } from './programs/read-options.ts'
import { checkReadOnly, type LineReads } from './read-only.ts'
import { configurationRefusal, type GitConfiguration } from './read-only-run.ts'

export type ShellCheck = Awaited<ReturnType<typeof createShellCheck>>

/**
 * Creates the checks of command lines for tools, gates and speculations. Loads the rules; the parser itself loads with
 * the first line. Errors: a broken installation throws.
 */
export async function createShellCheck(
  resourcesDir: string,
  files: ShellGrammarFiles = shellGrammarFiles(resourcesDir),
) {
  const [commands, git, risk] = await Promise.all(
    ['commands', 'git', 'risk'].map(
      async (name): Promise<unknown> =>
        JSON.parse(await readSmallText(path.join(resourcesDir, 'shell', `${name}.json`))),
    ),
  )
  const rules = { commands: CommandRules.parse(commands), git: GitRules.parse(git) }
  const riskRules = RiskRules.parse(risk)
  const parse = createShellParser(files)
  return {
    /** Parses a line; the other functions take its result and change nothing. */
    read: async (source: string, limitCharacters?: number): Promise<ShellLine> =>
      shellLine(source, await parse(source, limitCharacters)),
    /** Checks the line alone; with the folder's configuration, also whether git would run a program there. */
    readOnly(line: ShellLine, configuration?: GitConfiguration): LineReads | Refusal {
      const reads = checkReadOnly(rules, line)
      if (isRefusal(reads) || configuration === undefined) return reads
      return configurationRefusal(reads, configuration) ?? reads
    },
    risks: (line: ShellLine): LineRisk[] =>
      lineRisks(riskRules, line, !isRefusal(checkReadOnly(rules, line))),
    /** True for a command that runs something no rule can see (`sh -c`, `eval`, `xargs`): its line needs consent. */
    isOpaque: (command: SimpleCommand): boolean => isOpaque(riskRules, command),
  }
}

/** Returns the paths of the parser's files: beside the rules in a packed app, in the packages during development. */
function shellGrammarFiles(resourcesDir: string): ShellGrammarFiles {
  const find = (packageFile: string): string => {
    const packed = path.join(resourcesDir, 'shell', path.basename(packageFile))
    return existsSync(packed) ? packed : createRequire(import.meta.url).resolve(packageFile)
  }
  return {
    runtime: find('web-tree-sitter/web-tree-sitter.wasm'),
    grammar: find('tree-sitter-bash/tree-sitter-bash.wasm'),
  }
}
