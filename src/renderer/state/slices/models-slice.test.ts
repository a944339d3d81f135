import { expect, it } from 'vitest'
import { openWindow, until } from '../../../../tests/fakes/window-host/open-window.ts'

it('looks for models again where the connection was lost before the answer', async () => {
  const { host, store, connection } = await openWindow()
  const models = () => store.getState().models
  host.found.push({
    backend: 'embedded',
    file: '/home/author/neko.gguf',
    modelName: 'neko',
    contextTokens: 2_048,
    sizeBytes: 1,
    languages: [],
  })
  const looked = models().discover()
  connection.drop()
  await looked
  expect(models().found).toEqual([])
  await until(() => models().found?.length === 1)
  expect(models().error).toBeNull()
})
