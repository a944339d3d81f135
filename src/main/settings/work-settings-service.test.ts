import { describe, expect, it } from 'vitest'
import { AppSettings } from '../../shared/domain/app/app-settings.ts'
import { noWorkSettings } from '../../shared/domain/work/work-settings.ts'
import { createWorkSettingsService } from './work-settings-service.ts'

function service() {
  const states = new Map<string, unknown>()
  const works = {
    getState: (workId: string, key: string) => states.get(`${workId} ${key}`),
    setState: (workId: string, key: string, value: unknown) => void states.set(`${workId} ${key}`, value),
  }
  const app = { get: () => AppSettings.parse({ enableSpeculation: true }) }
  return { states, works, app, settings: createWorkSettingsService(works, app) }
}

describe('the settings of a folder', () => {
  it('are as in the app until something is chosen, and keep what a patch does not name', () => {
    const { settings, works, app } = service()
    expect(settings.get('a')).toEqual(noWorkSettings)
    settings.update('a', { enableCacheSharing: true })
    settings.update('a', { enableFollowupSuggestions: false })
    const chosen = { ...noWorkSettings, enableFollowupSuggestions: false, enableCacheSharing: true }
    expect(settings.get('a')).toEqual(chosen)
    expect(settings.get('b')).toEqual(noWorkSettings)
    expect(createWorkSettingsService(works, app).get('a')).toEqual(chosen)
    expect(settings.update('a', { enableCacheSharing: null }).enableCacheSharing).toBeNull()
  })

  it('switch on and off what the folder says, and where it says nothing what the app does', () => {
    const { settings } = service()
    settings.update('a', { enableSpeculation: false, stopAtFirstWrite: true })
    expect(settings.switches('a')).toEqual({
      enableFollowupSuggestions: true,
      enableCacheSharing: true,
      enableSpeculation: false,
      enableChainedSpeculation: false,
      stopAtFirstWrite: true,
    })
    expect(settings.switches('b')).toMatchObject({ enableSpeculation: true, stopAtFirstWrite: false })
  })

  it('that cannot be read are as in the app', () => {
    const { settings, states } = service()
    states.set('a settings', { enableFollowupSuggestions: 'sometimes' })
    expect(settings.get('a')).toEqual(noWorkSettings)
  })

  it('are told to every window of the folder, the present ones first', async () => {
    const { settings } = service()
    const end = new AbortController()
    const window = settings.watch('a', end.signal)
    expect((await window.next()).value).toEqual(noWorkSettings)
    settings.update('b', { enableFollowupSuggestions: true })
    settings.update('a', { enableFollowupSuggestions: false })
    expect((await window.next()).value?.enableFollowupSuggestions).toBe(false)
    end.abort()
    expect((await window.next()).done).toBe(true)
  })
})
