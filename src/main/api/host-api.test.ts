import { describe, expect, it } from 'vitest'
import type { HostEvent } from '../../shared/domain/app/host-info.ts'
import type { Shell } from '../deps.ts'
import { createBroadcast } from '../platform/broadcast.ts'
import type { SettingsService } from '../settings/settings-service.ts'
import { createHostApi } from './host-api.ts'

function apiOver(shell: Pick<Shell, 'pick'>) {
  return createHostApi({
    info: () => {
      throw new Error('nobody asks')
    },
    events: createBroadcast<HostEvent>(),
    notices: [],
    settings: {} as SettingsService,
    shell: shell as Shell,
  })
}
const { signal } = new AbortController()

describe('folder.pick', () => {
  it('asks in the dialog of the host and tells what was picked, or that nothing was', async () => {
    const asked: unknown[] = []
    const answers = ['/w/rain', null]
    const api = apiOver({
      async pick(...question) {
        asked.push(question)
        return answers.shift() ?? null
      },
    })
    expect(await api['folder.pick']({ purpose: 'open-work' }, { signal })).toEqual({ path: '/w/rain' })
    expect(
      await api['folder.pick']({ purpose: 'export-project', defaultPath: 'a.json' }, { signal }),
    ).toEqual({ path: null })
    expect(asked).toEqual([
      ['open-work', undefined],
      ['export-project', 'a.json'],
    ])
  })

  it('is no method of a host without one', async () => {
    await expect(apiOver({})['folder.pick']({ purpose: 'open-work' }, { signal })).rejects.toMatchObject({
      info: { code: 'rpc/unknown-method', method: 'folder.pick' },
    })
  })
})
