import type { ConsentRule } from '../../../shared/domain/session/consent-rule.ts'
import type { HeldRule } from './rules.ts'

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
