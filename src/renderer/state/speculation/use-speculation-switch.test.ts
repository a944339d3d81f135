import { expect, it } from 'vitest'
import type { AppState } from '../app-state.ts'
import { speculationHindrance } from './use-speculation-switch.ts'

type Given = {
  app?: { enableSpeculation?: boolean; enableFollowupSuggestions?: boolean }
  folder?: { enableSpeculation?: boolean | null; enableFollowupSuggestions?: boolean | null }
  isTrusted?: boolean
  pause?: { accepted: number; finished: number } | null
}

function stateOf({ app = {}, folder = {}, isTrusted = true, pause = null }: Given): AppState {
  return {
    settings: { value: { enableSpeculation: true, enableFollowupSuggestions: true, ...app } },
    workSettings: { value: { enableSpeculation: null, enableFollowupSuggestions: null, ...folder } },
    consent: { trust: { isTrusted } },
    speculation: { current: { pause } },
  } as unknown as AppState
}

it.each<[string, Given, string | null]>([
  ['nothing', {}, null],
  ['suggestions that are off', { app: { enableFollowupSuggestions: false } }, 'suggestions'],
  ['suggestions that are off in the folder', { folder: { enableFollowupSuggestions: false } }, 'suggestions'],
  ['a folder that is not trusted', { isTrusted: false }, 'trust'],
  ['a pause', { pause: { accepted: 2, finished: 20 } }, 'paused'],
  ['nothing where it is off', { app: { enableSpeculation: false }, isTrusted: false }, null],
  ['nothing where the folder has it off', { folder: { enableSpeculation: false }, isTrusted: false }, null],
])('what keeps speculations from running is %s', (_what, given, hindrance) => {
  expect(speculationHindrance(stateOf(given))).toBe(hindrance)
})
