import { useRef, useState } from 'react'
import { useApp, useWords } from '../../state/store-context.tsx'
import { Button } from '../../ui/button.tsx'
import { AddServer } from './add-server.tsx'
import { ModelSetup } from './model-setup.tsx'
import { ProfileCard } from './profile-card.tsx'

/** The settings' page of models: the profiles, then sources of further ones. */
export function ModelSection() {
  const { t } = useWords()
  const profiles = useApp((state) => state.models.profiles)
  const [isAdding, setIsAdding] = useState(false)
  const add = useRef<HTMLButtonElement>(null)
  // The form is removed together with the element that has the focus.
  const done = () => {
    add.current?.focus()
    setIsAdding(false)
  }
  return (
    <div className="model-setup">
      <section aria-labelledby="models-profiles">
        <div className="row">
          <h3 id="models-profiles" className="label grow">
            {t('models.profiles')}
          </h3>
          <Button ref={add} icon="add" aria-expanded={isAdding} onClick={() => setIsAdding(!isAdding)}>
            {t('models.addServer')}
          </Button>
        </div>
        {isAdding && <AddServer onDone={done} />}
        {profiles.length === 0 && !isAdding && <p className="dim">{t('models.noProfiles')}</p>}
        {profiles.length > 1 && <p className="small dim">{t('models.fast.hint')}</p>}
        <ul className="model-list">
          {profiles.map((profile) => (
            <ProfileCard key={profile.id} profile={profile} />
          ))}
        </ul>
      </section>
      <ModelSetup isInSettings />
    </div>
  )
}
