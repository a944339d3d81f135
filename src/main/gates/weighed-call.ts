import type { RiskReport } from '../../shared/domain/gate.ts'
import type { CallLook } from './call-look.ts'
import type { Verdict } from './judge.ts'

/** What is known of a call, and what would become of it. Shape: `risk` counts in what is asked together. */
export type WeighedCall = { look: CallLook; risk: RiskReport; verdict: Verdict }
