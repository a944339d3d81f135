import type { ConsentGates } from '../agent/runner/runner-deps.ts'
import type { ConsentFinding } from '../gates/gate-service.ts'

/** The same desk; `opened` hears of each gate before the user sees it. */
export function announcedGates(coordinator: ConsentGates, opened: () => void): ConsentGates {
  const heard = async (asked: Promise<ConsentFinding>): Promise<ConsentFinding> => {
    const finding = await asked
    if (finding.gates.length > 0) opened()
    return finding
  }
  return {
    ask: (...asked) => heard(coordinator.ask(...asked)),
    askPlan: (...asked) => heard(coordinator.askPlan(...asked)),
    lapse: (...asked) => coordinator.lapse(...asked),
    view: (...asked) => coordinator.view(...asked),
    answer: (...asked) => coordinator.answer(...asked),
    withdraw: (...asked) => coordinator.withdraw(...asked),
  }
}
