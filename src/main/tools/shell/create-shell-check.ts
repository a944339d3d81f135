import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { readSmallText } from '../../platform/files/read-regular-file.ts'
import { isOpaque, type LineRisk, lineRisks, RiskRules } from './command-risk.ts'
import { CommandRules, GitRules } from './command-rule.ts'
import { configurationRefusal, type GitConfiguration } from './git-configuration.ts'
import type { SimpleCommand } from './parsing/plain-line.ts'
import { type ShellLine, shellLine } from './parsing/shell-line.ts'
import { createShellParser, type ShellGrammarFiles } from './parsing/shell-parser.ts'
import { isRefusal, type Refusal } from './programs/read-options.ts'
import { checkReadOnly, type LineReads } from './read-only.ts'

/** Checks of command lines for tools, gates and speculations. */
export type ShellCheck = {
  /** Parses a line; the other functions take its result and change nothing. */
  read(source: string, limitCharacters?: number): Promise<ShellLine>
  /** Checks the line alone; with the folder's configuration, also whether git would run a program there. */
  readOnly(line: ShellLine, configuration?: GitConfiguration): LineReads | Refusal
  risks(line: ShellLine): LineRisk[]
  /** True for a command that runs something no rule can see (`sh -c`, `eval`, `xargs`): its line needs consent. */
  isOpaque(command: SimpleCommand): boolean
}

/** Loads the rules; the parser itself loads with the first line. Errors: a broken installation throws. */
export async function createShellCheck(
  resourcesDir: string,
  files: ShellGrammarFiles = shellGrammarFiles(resourcesDir),
): Promise<ShellCheck> {
  const [commands, git, risk] = await Promise.all(
    ['commands', 'git', 'risk'].map(
      async (name): Promise<unknown> =>
        JSON.parse(await readSmallText(path.join(resourcesDir, 'shell', `${name}.json`))),
    ),
  )
  const rules = { commands: CommandRules.parse(commands), git: GitRules.parse(git) }
  const riskRules = RiskRules.parse(risk)
  const parser = createShellParser(files)
  return {
    async read(source, limitCharacters) {
      return shellLine(source, await parser.parse(source, limitCharacters))
    },
    readOnly(line, configuration) {
      const reads = checkReadOnly(rules, line)
      if (isRefusal(reads) || configuration === undefined) return reads
      return configurationRefusal(reads, configuration) ?? reads
    },
    risks: (line) => lineRisks(riskRules, line, !isRefusal(checkReadOnly(rules, line))),
    isOpaque: (command) => isOpaque(riskRules, command),
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
