import { useApp, useWords } from '../../state/store-context.tsx'
import { Button } from '../../ui/button.tsx'
import { Notice } from '../../ui/notice.tsx'

/** A folder is untrusted until the user says otherwise: what that means, and the answer at hand. */
export function TrustNotice() {
  const { t, errorText } = useWords()
  const { trust, error, setTrusted } = useApp((app) => app.consent)
  if (trust === null || trust.isTrusted) return null
  return (
    <Notice
      tone={trust.isAsked ? 'plain' : 'warn'}
      actions={
        <>
          <Button look={trust.isAsked ? 'quiet' : 'normal'} onClick={() => void setTrusted(true)}>
            {t('trust.yes')}
          </Button>
          {!trust.isAsked && (
            <Button look="quiet" onClick={() => void setTrusted(false)}>
              {t('trust.no')}
            </Button>
          )}
        </>
      }
    >
      {t(trust.isAsked ? 'trust.short' : 'trust.text')}
      {error && <span className="field-error"> {errorText(error)}</span>}
    </Notice>
  )
}
