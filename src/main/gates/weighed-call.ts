import type { RiskReport } from '../../shared/domain/session/gate.ts'
import type { Verdict } from './judge.ts'
import type { CallAssessment } from './risk/call-assessment.ts'

/** A call with its assessment and its verdict. Shape: `risk` includes the size of what is asked together. */
export type WeighedCall = { assessment: CallAssessment; risk: RiskReport; verdict: Verdict }
