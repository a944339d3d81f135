import { ConsentRule } from '../../shared/domain/session/consent-rule.ts'
import type { Random } from '../deps.ts'
import type { Db } from './database.ts'

type NewRule = Omit<ConsentRule, 'ruleId' | 'scope'>

/** The rules that the user made for a folder, by its real path. */
export type ConsentRuleRepository = {
  /** Oldest first. */
  list(root: string): ConsentRule[]
  /** A rule that is there already is not added twice. */
  add(root: string, rule: NewRule): ConsentRule
  /** False for an id that the folder does not have. */
  remove(root: string, ruleId: string): boolean
}

type Row = { id: string; value: string }

export function createConsentRuleRepository(db: Db, random: Random): ConsentRuleRepository {
  const select = db.prepare<[string], Row>('SELECT id, value FROM consent_rules WHERE root = ? ORDER BY seq')
  const insert = db.prepare('INSERT INTO consent_rules (id, root, value) VALUES (?, ?, ?)')
  const remove = db.prepare('DELETE FROM consent_rules WHERE root = ? AND id = ?')
  const list = (root: string): ConsentRule[] => select.all(root).map(ruleOf)
  return {
    list,
    add(root, { effect, tool, pattern }) {
      const twin = list(root).find(
        (rule) => rule.effect === effect && rule.tool === tool && rule.pattern === pattern,
      )
      if (twin !== undefined) return twin
      const rule: ConsentRule = { ruleId: random.id(), effect, tool, pattern, scope: 'folder' }
      insert.run(rule.ruleId, root, JSON.stringify({ effect, tool, pattern }))
      return rule
    },
    remove: (root, ruleId) => remove.run(root, ruleId).changes > 0,
  }
}

function ruleOf({ id, value }: Row): ConsentRule {
  return ConsentRule.parse({ ...JSON.parse(value), ruleId: id, scope: 'folder' })
}
