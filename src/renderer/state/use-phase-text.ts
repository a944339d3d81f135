import { useEffect, useState } from 'react'
import { silentAfterMs } from '../../shared/domain/drafting/run.ts'
import type { RunView } from './reducers/run-reducer.ts'
import { phaseText } from './reducers/run-words.ts'
import { useWords } from './store-context.tsx'

/** Names the step that the author waits for, such as counting the context, or that the server has not answered. */
export function useCountingText(isCounting: boolean): string {
  const { t } = useWords()
  const [isSilent, setIsSilent] = useState(false)
  useEffect(() => {
    if (!isCounting) return
    const timer = setTimeout(() => setIsSilent(true), silentAfterMs)
    return () => {
      clearTimeout(timer)
      setIsSilent(false)
    }
  }, [isCounting])
  return t(isSilent ? 'run.silent' : 'run.counting')
}

/** Says the phase of a run; null: of one that is being started. */
export function usePhaseText(view: RunView | null, isStarting: boolean): string {
  const { t } = useWords()
  const counting = useCountingText(view === null && isStarting)
  return view === null ? counting : phaseText(t, view)
}
