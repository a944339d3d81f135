import type { ConsentRule } from '../../../shared/domain/session/consent-rule.ts'
import type { RiskReason } from '../../../shared/domain/session/gate.ts'
import {
  isOutside,
  type ToolName,
  takesPaths,
  toolTraits,
  writesText,
} from '../../../shared/domain/session/tool-name.ts'
import { pathGlob, textGlob } from '../../../shared/text/paths/glob.ts'
import { isAbsolutePath, pathBelow } from '../../tools/defining/root-path.ts'
import type { DeclaredTool } from '../../tools/prepared-call.ts'
import { type CommandWords, isAllowedBy, isNamedBy, type LayeredCommand } from './command-pattern.ts'

/** A rule that applies. Shape: `folder` is the added folder whose paths it is about; absent: the session's own. */
export type HeldRule = ConsentRule & { folder?: string }

/**
 * The part of a call that rules are compared with.
 *
 * Shape: `paths` as given and as they really are. `commands` are all that a line may run, nested ones
 * included; `toAllow` those that need consent, null where it is not certain what the line does. `place`: a site, or
 * `server/tool` with what the tool is now.
 */
export type RuleSubject =
  | { kind: 'files'; tool: ToolName; paths: readonly string[] }
  | { kind: 'outside'; tool: ToolName; place: string; declared?: DeclaredTool }
  | {
      kind: 'command'
      paths: readonly string[]
      commands: readonly CommandWords[]
      toAllow: readonly LayeredCommand[] | null
      isReadOnly: boolean
    }

/**
 * Returns the rules that apply to a call in `home`, of all folders of a session.
 *
 * Deny and ask rules of the session's own folder apply in every added folder too, and those of an added folder
 * protect its files from calls in any folder. Allow rules apply only in their folder; those of the session, in all
 * folders. Shape: `home` null: the session's own folder.
 */
export function heldRules(
  own: readonly ConsentRule[],
  added: readonly { root: string; rules: readonly ConsentRule[] }[],
  home: string | null,
): HeldRule[] {
  const held: HeldRule[] = []
  for (const rule of own) {
    if (rule.effect !== 'allow') {
      held.push(rule)
      // A rule for commands is about words, which are the same anywhere.
      if (rule.tool !== 'run_command') held.push(...added.map(({ root }) => ({ ...rule, folder: root })))
    } else if (rule.scope === 'session' || home === null) held.push(rule)
  }
  for (const { root, rules } of added) {
    for (const rule of rules) {
      const isOnlyThere = rule.effect === 'allow' || rule.tool === 'run_command'
      if (!isOnlyThere || home === root) held.push({ ...rule, folder: root })
    }
  }
  return held
}

/** Returns the first rule of this effect that names any part of the subject. */
export function refusingRule(
  effect: 'deny' | 'ask',
  subject: RuleSubject,
  rules: readonly HeldRule[],
): HeldRule | undefined {
  return rules.find((rule) => rule.effect === effect && isRefusedBy(rule, subject))
}

/** Returns the rules that together allow all of the subject, or null. */
export function allowingRules(subject: RuleSubject, rules: readonly HeldRule[]): HeldRule[] | null {
  const allowing = rules.filter(({ effect }) => effect === 'allow')
  if (subject.kind === 'outside') {
    const found = placeRules(subject, allowing).find(
      ({ fingerprint }) => fingerprint === subject.declared?.fingerprint,
    )
    return found === undefined ? null : [found]
  }
  const found =
    subject.kind === 'files'
      ? subject.paths.map((path) =>
          allowing.find((rule) => isFor(rule.tool, subject.tool) && pathTest(rule, 'exact')(path)),
        )
      : (subject.toAllow ?? []).map((layers) =>
          allowing.find(
            ({ tool, pattern }) =>
              isFor(tool, 'run_command') && layers.some((words) => isAllowedBy(pattern, words)),
          ),
        )
  const rulesFound = found.filter((rule) => rule !== undefined)
  return found.length > 0 && rulesFound.length === found.length ? rulesFound : null
}

/**
 * Returns why rules that name a tool of an added server do not allow it: the tool has changed since it was allowed, or
 * only its name was noted. Null where no rule names it, or one allows it.
 */
export function unboundTool(subject: RuleSubject, rules: readonly HeldRule[]): RiskReason | null {
  if (subject.kind !== 'outside' || subject.declared === undefined) return null
  const named = placeRules(subject, rules).filter(({ effect }) => effect === 'allow')
  if (named.length === 0 || allowingRules(subject, rules) !== null) return null
  const isNoted = named.some(({ fingerprint }) => fingerprint !== undefined)
  return { code: isNoted ? 'tool-changed' : 'tool-unbound', detail: subject.declared.description }
}

/** True where a rule keeps something from being read, perhaps beneath a folder that is read as a whole. */
export function hasReadRules(rules: readonly HeldRule[]): boolean {
  return rules.some(({ effect, tool }) => effect !== 'allow' && isForReading(tool))
}

/** True for a path that no deny or ask rule keeps from being read. */
export function isFreeToRead(path: string, rules: readonly HeldRule[]): boolean {
  return rules.every(
    (rule) => rule.effect === 'allow' || !isForReading(rule.tool) || !pathTest(rule, 'wide')(path),
  )
}

function isRefusedBy(rule: HeldRule, subject: RuleSubject): boolean {
  const { tool, pattern } = rule
  if (subject.kind === 'outside') return isFor(tool, subject.tool) && isPlace(rule, subject.place)
  if (subject.kind === 'files') {
    const isMeant =
      isFor(tool, subject.tool) || (tool !== null && writesText(tool) && writesText(subject.tool))
    return isMeant && subject.paths.some(pathTest(rule, 'wide'))
  }
  const { commands, paths, isReadOnly } = subject
  if (isFor(tool, 'run_command') && commands.some((words) => isNamedBy(pattern, words))) return true
  // Commands must not touch a file either that tools must not touch.
  const isAboutPaths =
    tool !== 'run_command' && (tool === null || !isOutside(tool)) && (isForReading(tool) || !isReadOnly)
  return isAboutPaths && paths.some(pathTest(rule, 'wide'))
}

function isFor(tool: ToolName | null, wanted: ToolName): boolean {
  return tool === null || tool === wanted
}

function isForReading(tool: ToolName | null): boolean {
  return tool === null || (toolTraits[tool].access === 'read' && takesPaths(tool))
}

function placeRules(
  subject: Extract<RuleSubject, { kind: 'outside' }>,
  rules: readonly HeldRule[],
): HeldRule[] {
  return rules.filter((rule) => rule.tool === subject.tool && isPlace(rule, subject.place))
}

function isPlace({ pattern }: HeldRule, place: string): boolean {
  return textGlob(pattern.toLowerCase(), { hasSets: false })(place.toLowerCase())
}

/** Compiles the pattern of a rule once, since a command may change many thousands of files. */
function pathTest({ pattern, folder, scope }: HeldRule, reach: 'wide' | 'exact'): (path: string) => boolean {
  const matches = pathGlob(pattern, reach)
  return (path) => {
    const below = folder === undefined ? path : pathBelow(folder, path)
    if (below === null) return false
    // A path that is allowed in the session's own folder is not allowed in an added one, nor the other way round.
    const isApart = isAbsolutePath(path) !== (scope === 'session' && isAbsolutePath(pattern))
    if (reach === 'exact' && folder === undefined && isApart) return false
    return matches(below)
  }
}
