import { describe, expect, it } from 'vitest'
import { AppSettingsPatch } from '../app/app-settings.ts'

describe('a patch of settings', () => {
  it('names only what it changes, also inside a group', () => {
    expect(AppSettingsPatch.parse({})).toEqual({})
    expect(AppSettingsPatch.parse({ drafting: { stepChars: 50 } })).toEqual({ drafting: { stepChars: 50 } })
  })

  it('is held to the limits of the settings and refuses unknown names', () => {
    expect(AppSettingsPatch.safeParse({ drafting: { stepChars: 0 } }).success).toBe(false)
    expect(AppSettingsPatch.safeParse({ colour: 'red' }).success).toBe(false)
  })
})
