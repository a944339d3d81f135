import { z } from 'zod'
import { ConsentRule, type NewRule, sameRules } from '../../../shared/domain/session/consent-rule.ts'
import type { Random } from '../../deps.ts'
import type { Db } from '../database/database.ts'
import { createRowReaders, jsonOf } from '../database/stored-rows.ts'

/** The rules that the user made for a folder, by its real path. */
export type ConsentRuleRepository = ReturnType<typeof createConsentRuleRepository>

const Row = z.object({ id: z.string(), value: jsonOf(ConsentRule.omit({ ruleId: true, scope: true })) })

export function createConsentRuleRepository(db: Db, random: Random, read = createRowReaders()) {
  const rows = read('consent_rules', Row)
  const select = db.prepare<[string]>('SELECT id, value FROM consent_rules WHERE root = ? ORDER BY seq')
  const insert = db.prepare('INSERT INTO consent_rules (id, root, value) VALUES (?, ?, ?)')
  const remove = db.prepare('DELETE FROM consent_rules WHERE root = ? AND id = ?')
  const list = (root: string): ConsentRule[] =>
    select.all(root).map((row) => {
      const { id, value } = rows.need(row)
      return { ...value, ruleId: id, scope: 'folder' }
    })
  return {
    /** Lists rules, oldest first. Errors: `store/unreadable`: none is skipped, since one that refuses might be lost. */
    list,
    /** Adds a rule, unless the folder has the same one already. */
    add(root: string, { effect, tool, pattern, fingerprint }: NewRule): ConsentRule {
      const made: NewRule = { effect, tool, pattern, ...(fingerprint !== undefined && { fingerprint }) }
      const { twin, outdated } = sameRules(list(root), made)
      if (twin !== undefined) return twin
      const rule: ConsentRule = { ...made, ruleId: random.id(), scope: 'folder' }
      insert.run(rule.ruleId, root, JSON.stringify(made))
      for (const { ruleId } of outdated) remove.run(root, ruleId)
      return rule
    },
    /** Removes a rule. Returns false for an id that the folder does not have. */
    remove: (root: string, ruleId: string): boolean => remove.run(root, ruleId).changes > 0,
  }
}
