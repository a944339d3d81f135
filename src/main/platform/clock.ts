import { systemTimers } from '../../shared/delay.ts'
import type { Clock } from '../deps.ts'

export const systemClock: Clock = { now: () => Date.now(), ...systemTimers }
