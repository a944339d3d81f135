import { z } from 'zod'
import { ReviewReport } from '../../../shared/domain/session/agent-plan.ts'
import { cutList, defineTool, shortLine, shortText, titleLine } from '../defining/tool.ts'

const findings = cutList(shortText(200), 10)

export const submitReviewTool = defineTool({
  name: 'submit_review',
  args: z.strictObject({
    rating: ReviewReport.shape.rating,
    problems: findings,
    improvements: findings,
    verdict: ReviewReport.shape.verdict,
  }),
  about: 'verdict',
  async prepare(args, { callId }) {
    const lines = (texts: string[]): string[] => texts.map((text) => shortLine(text, 200))
    const report = ReviewReport.parse({
      ...args,
      problems: lines(args.problems),
      improvements: lines(args.improvements),
    })
    return {
      kind: 'session',
      title: titleLine(args.verdict),
      call: { kind: 'review', callId, report },
      options: [],
    }
  },
})
