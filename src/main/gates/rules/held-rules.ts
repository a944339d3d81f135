import type { ConsentRule } from '../../../shared/domain/session/consent-rule.ts'
import type { HeldRule } from './rules.ts'

/**
 * The rules that hold for what is done in `home`, of all folders of a session.
 *
 * What is refused or asked about in the session's own folder is so in every folder that was added, and what an
 * added one keeps back is kept back whoever names it. What is allowed holds only where it was said; what is allowed
 * for the session, in all of them. Shape: `home` null: the session's own folder.
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
