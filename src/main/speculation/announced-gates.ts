import type { ConsentDesk } from '../agent/runner/runner-deps.ts'
import type { ConsentFinding } from '../gates/gate-service.ts'

/** The same desk; `opened` hears of each gate before the user sees it. */
export function announcedGates(desk: ConsentDesk, opened: () => void): ConsentDesk {
  const heard = async (asked: Promise<ConsentFinding>): Promise<ConsentFinding> => {
    const finding = await asked
    if (finding.gates.length > 0) opened()
    return finding
  }
  return {
    ask: (...asked) => heard(desk.ask(...asked)),
    askPlan: (...asked) => heard(desk.askPlan(...asked)),
    lapse: (...asked) => desk.lapse(...asked),
    view: (...asked) => desk.view(...asked),
    answer: (...asked) => desk.answer(...asked),
    withdraw: (...asked) => desk.withdraw(...asked),
  }
}
