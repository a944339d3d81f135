import { expect, it } from 'vitest'
import { emptyDraftDetails } from '../../../tests/fakes/empty-draft-details.ts'
import type { DraftDetails } from '../../shared/domain/drafting/draft-details.ts'
import { AppError } from '../../shared/errors.ts'
import { createDraftWorks } from './draft-works.ts'

it('a tag that is gone cannot be edited, which is said', async () => {
  let details: DraftDetails = { ...emptyDraftDetails, keywords: ['{雨|雪}', '{風|嵐}'] }
  const works = createDraftWorks({
    works: {
      details: async () => details,
      updateDetails: async (_workId: string, patch: Partial<DraftDetails>) => {
        details = { ...details, ...patch }
        return details
      },
    } as never,
    documents: {} as never,
    state: {} as never,
  })
  const fix = (field: string) => works.edit('w', { field }, () => ({ from: 0, to: 5, insert: '嵐' }))
  await fix('keywords.1')
  expect(details.keywords).toEqual(['{雨|雪}', '嵐'])
  const gone = await fix('keywords.2').catch((error: unknown) => error)
  expect(gone instanceof AppError && gone.info).toEqual({ code: 'file/changed', path: 'keywords.2' })
  expect(details.keywords).toEqual(['{雨|雪}', '嵐'])
})
