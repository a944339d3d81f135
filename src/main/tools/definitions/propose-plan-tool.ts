import { z } from 'zod'
import { PlanProposal, PlanStep, RiskLevel } from '../../../shared/domain/session/agent-plan.ts'
import { contentHash } from '../../platform/files/content-hash.ts'
import { defineTool, pathArg, shortLine, shortText } from '../defining/tool.ts'

export const proposePlanTool = defineTool({
  name: 'propose_plan',
  args: z.strictObject({
    title: shortText(100),
    purpose: shortText(200),
    steps: z
      .array(
        z.strictObject({
          text: shortText(200),
          kind: PlanStep.shape.kind,
          path: pathArg.nullable().optional(),
        }),
      )
      .min(1)
      .max(3),
    risk: RiskLevel,
    successCriteria: shortText(200),
  }),
  about: 'title',
  async prepare(args, { callId, title }) {
    const proposal = PlanProposal.parse({
      title: shortLine(args.title, 100),
      purpose: shortLine(args.purpose, 200),
      steps: args.steps.map(({ text, kind, path }) => ({
        text: shortLine(text, 200),
        kind,
        path: path == null ? null : shortLine(path, 1000),
      })),
      risk: args.risk,
      successCriteria: shortLine(args.successCriteria, 200),
    })
    const hash = contentHash(JSON.stringify(proposal))
    return { kind: 'session', title, call: { kind: 'plan', callId, hash, proposal }, options: [] }
  },
})
