import type { ModelProfile } from '../../../shared/domain/model/model-profile.ts'
import type { ActiveModel } from './active-model.ts'
import { isSameClient, isSameModel } from './model-profiles.ts'

export type FastModel = ReturnType<typeof createFastModel>

/** Opens the model of a role other than the main one when it is first needed, where it differs from the main model. */
export function createFastModel(deps: {
  /** The profile of the role; undefined: none is chosen. */
  chosen(): ModelProfile | undefined
  /** The main model's profile; undefined: there is none. */
  main(): ModelProfile | undefined
  open(profile: ModelProfile): Promise<ActiveModel>
  close(active: Promise<ActiveModel>): Promise<void>
}) {
  let current: { profile: ModelProfile; active: Promise<ActiveModel> } | undefined

  function wanted(): ModelProfile | undefined {
    const chosen = deps.chosen()
    const main = deps.main()
    return chosen === undefined || (main !== undefined && isSameModel(chosen, main)) ? undefined : chosen
  }

  /** Closes the present model if another one is chosen by now. */
  async function settle(): Promise<void> {
    if (current === undefined) return
    const profile = wanted()
    if (profile !== undefined && isSameClient(current.profile, profile)) {
      // The model stays loaded; its next request reads the changed fields.
      const active = current.active.then((model) => ({ ...model, profile, modelName: profile.name }))
      current = { profile, active }
      return
    }
    const left = current
    current = undefined
    await deps.close(left.active)
  }

  return {
    /** Returns the model, opened if needed; undefined: the main model serves this role. */
    async active(): Promise<ActiveModel | undefined> {
      await settle()
      const profile = wanted()
      if (profile === undefined) return undefined
      current ??= { profile, active: deps.open(profile) }
      return current.active
    },
    settle,
    async close(): Promise<void> {
      if (current !== undefined) await deps.close(current.active)
      current = undefined
    },
  }
}
