import type { ModelTimeouts } from '../../src/shared/domain/model/model-profile.ts'

/** Limits for tests that wait for none of them: a busy machine takes seconds to connect. */
export const patientTimeouts: ModelTimeouts = { connectMs: 30_000, firstTokenMs: 60_000, idleMs: 60_000 }
