import { shownPause } from '../../../state/slices/session/suggestion-slice.ts'
import { useApp, useWords } from '../../../state/store-context.tsx'
import { Button } from '../../../ui/button.tsx'

/** Says that suggestions have stopped because of their cost, with the way to have them again. */
export function PausedSuggestions() {
  const { t } = useWords()
  const pause = useApp(shownPause)
  const { resume, hidePause } = useApp((state) => state.suggestion)
  if (pause === null) return null
  return (
    <div className="paused-suggestions" role="status">
      <p className="grow">{t(`suggestion.ghost.${pause}`)}</p>
      <Button look="quiet" onClick={() => void resume()}>
        {t('suggestion.resume')}
      </Button>
      <Button look="quiet" onClick={hidePause}>
        {t('suggestion.ghost.hide')}
      </Button>
    </div>
  )
}
