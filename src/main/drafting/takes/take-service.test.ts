import { expect, it } from 'vitest'
import type { Run } from '../../../shared/domain/drafting/run.ts'
import type { Take } from '../../../shared/domain/drafting/take.ts'
import { AppError } from '../../../shared/errors.ts'
import type { TakeRepository } from '../../store/works/take-repository.ts'
import { createTakeService } from './take-service.ts'

it('text of a run that a crash interrupted is kept where its take has less of it and has not ended', () => {
  const takes = new Map<string, Pick<Take, 'text' | 'stopReason'>>([
    ['less', { text: 'It was', stopReason: null }],
    ['more', { text: 'It was a dark night', stopReason: null }],
    ['ended', { text: 'It was', stopReason: 'aborted' }],
  ])
  const repository = {
    get(takeId: string) {
      const take = takes.get(takeId)
      if (take === undefined) throw new AppError({ code: 'take/not-found', takeId })
      return { take }
    },
    update(takeId: string, change: Partial<Take>) {
      const take = { ...takes.get(takeId), ...change } as Take
      takes.set(takeId, take)
      return take
    },
  }
  const service = createTakeService(repository as unknown as TakeRepository)
  const runs = ['less', 'more', 'ended', 'none'].map((takeId) => ({ takeId, text: 'It was a dark' }))
  service.keepInterrupted(runs as Run[])
  expect([...takes].map(([takeId, { text }]) => [takeId, text])).toEqual([
    ['less', 'It was a dark'],
    ['more', 'It was a dark night'],
    ['ended', 'It was'],
  ])
})
