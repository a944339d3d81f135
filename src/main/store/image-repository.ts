import type { Db } from './database.ts'

/** Which images are named somewhere. */
export type ImageRepository = {
  /** The ids in sessions, their prompts and queues, and in messages that were not sent yet. */
  inUse(): ReadonlySet<string>
}

const named = /"imageId":"([0-9a-f]{64})"/g

export function createImageRepository(db: Db): ImageRepository {
  const select = db.prepare<[], { text: string }>(
    `SELECT value AS text FROM session_items WHERE value LIKE '%"imageId":"%'
     UNION ALL SELECT value FROM session_entries WHERE value LIKE '%"imageId":"%'
     UNION ALL SELECT queue FROM sessions WHERE queue LIKE '%"imageId":"%'
     UNION ALL SELECT segments FROM unsent_messages WHERE segments LIKE '%"imageId":"%'`,
  )
  return {
    inUse() {
      const ids = new Set<string>()
      for (const { text } of select.iterate())
        for (const [, imageId = ''] of text.matchAll(named)) ids.add(imageId)
      return ids
    },
  }
}
