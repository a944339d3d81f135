import { z } from 'zod'
import { courseLimits } from '../../../shared/domain/session/agent-course.ts'
import { defineTool, shortLine, shortText } from '../defining/tool.ts'

const lines = z.array(shortText(courseLimits.openQuestions.characters))

export const updateCourseTool = defineTool({
  name: 'update_course',
  args: z.strictObject({
    goal: shortText(courseLimits.goal.characters).optional(),
    why_now: shortText(courseLimits.whyNow.characters).optional(),
    constraints: lines.optional(),
    plan_brief: lines.optional(),
    open_questions: lines.optional(),
  }),
  about: 'goal',
  async prepare({ goal, why_now, constraints, plan_brief, open_questions }, { callId, title }) {
    const changed = [goal, why_now, constraints, plan_brief, open_questions].flatMap((item) => item ?? [])
    const delta = {
      goal: goal ?? null,
      why_now: why_now ?? null,
      constraints: constraints ?? null,
      plan_brief: plan_brief ?? null,
      open_questions: open_questions ?? null,
      summary: shortLine(changed.join(' / '), courseLimits.lastDelta.characters),
    }
    return {
      kind: 'session',
      title: title || (changed[0] ?? ''),
      call: { kind: 'course', callId, delta },
      options: [],
    }
  },
})
