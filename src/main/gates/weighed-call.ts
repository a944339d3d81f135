import type { RiskReport } from '../../shared/domain/session/gate.ts'
import type { Verdict } from './judge.ts'
import type { CallAssessment } from './risk/call-assessment.ts'

/** What is known of a call, and what would become of it. Shape: `risk` counts in what is asked together. */
export type WeighedCall = { look: CallAssessment; risk: RiskReport; verdict: Verdict }
