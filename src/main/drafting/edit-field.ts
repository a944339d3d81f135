import type { DraftDetails } from '../../shared/domain/drafting/draft-details.ts'
import { AppError } from '../../shared/errors.ts'
import type { TextEdit } from './draft-service.ts'

/**
 * Returns the change of the details that an edit of one text or tag (`keywords.0`) makes.
 *
 * Errors: `file/changed` for a tag that is gone.
 */
export function editField(
  details: DraftDetails,
  field: string,
  edit: (text: string) => TextEdit,
): Partial<DraftDetails> {
  const [name = '', index] = field.split('.')
  const value = Object.entries(details).find(([key]) => key === name)?.[1]
  const edited = (text: string) => {
    const { from, to, insert } = edit(text)
    return text.slice(0, from) + insert + text.slice(to)
  }
  if (Array.isArray(value)) {
    if (value[Number(index)] === undefined) throw new AppError({ code: 'file/changed', path: field })
    return { [name]: value.map((tag, i) => (i === Number(index) ? edited(tag) : tag)) }
  }
  return { [name]: edited(value ?? '') }
}
