import { DraftDetails } from '../../src/shared/domain/drafting/draft-details.ts'

/** The details of a work for which the author has entered nothing yet. */
export const emptyDraftDetails: DraftDetails = DraftDetails.parse({})
