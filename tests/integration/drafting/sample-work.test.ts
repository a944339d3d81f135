import { readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { nodeDisk } from '../../../src/main/platform/files/disk.ts'
import { readWorkJson } from '../../../src/main/workspace/work/work-json.ts'
import { scanWork } from '../../../src/main/workspace/work/work-scan.ts'
import { DraftDetails } from '../../../src/shared/domain/drafting/draft-details.ts'

describe.each(['ja', 'en'])('the sample work (%s)', (language) => {
  const root = path.join(import.meta.dirname, '../../../resources/sample', language)

  it('opens with two manuscripts in order and its notes beside them', async () => {
    const { values } = await readWorkJson(nodeDisk, root)
    const { files } = await scanWork(nodeDisk, root, values)
    const manuscripts = files.filter(({ kind }) => kind === 'manuscript').map((file) => file.path)
    expect(manuscripts).toEqual(values.order)
    expect(manuscripts).toHaveLength(2)
    expect(files.filter(({ kind }) => kind === 'material')).toHaveLength(1)
  })

  it('shows every field of a work in use, written for a model that follows instructions', async () => {
    const { values } = await readWorkJson(nodeDisk, root)
    const empty = DraftDetails.parse({})
    expect(values.promptForm).toBe('instruction')
    for (const name of DraftDetails.keyof().options.filter((option) => option !== 'promptForm'))
      expect([name, values[name]]).not.toEqual([name, empty[name]])
  })

  it('is UTF-8 with LF, without stray spaces, and ends with a whole line to continue from', async () => {
    const { values } = await readWorkJson(nodeDisk, root)
    for (const file of values.order) {
      const text = readFileSync(path.join(root, file), 'utf8')
      expect(text).not.toMatch(/\r|\uFEFF|[ \u3000]+$/m)
      expect(text).toMatch(/\S\n$/)
    }
  })
})
