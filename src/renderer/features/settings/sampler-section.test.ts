import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, it } from 'vitest'
import { FakeHost } from '../../../../tests/fakes/window-host/fake-host.ts'
import { readyModel } from '../../../../tests/fakes/window-host/fixtures.ts'
import { openWindow, until } from '../../../../tests/fakes/window-host/open-window.ts'
import type { Backend } from '../../../shared/domain/model/model-profile.ts'
import { createTranslate } from '../../../shared/i18n/translate.ts'
import type { AppStore } from '../../state/app-store.ts'
import { StoreProvider } from '../../state/store-context.tsx'
import { SamplerSection } from './sampler-section.tsx'

async function shownWith(backend: Backend): Promise<string> {
  const host = new FakeHost()
  host.model = { ...readyModel, backend }
  const sampler = { temperature: 1, topK: 0, topP: 1, minP: 0, repeatPenalty: 1, repeatRange: 0 }
  host.presets.push({ id: 'novel', isBuiltIn: true, sampler })
  const { store } = await openWindow({ host })
  await store.getState().models.load()
  await until(() => store.getState().models.status.state === 'ready')
  await store.getState().settings.update({ language: 'en' })
  // Rendering without a page reads the state that the store began with.
  store.getInitialState = store.getState
  return renderToStaticMarkup(createElement(Shown, { store }))
}

function Shown({ store }: { store: AppStore }) {
  return StoreProvider({ store, children: createElement(SamplerSection) })
}

it('says which steps of the order KoboldCpp does not move, and nothing of it elsewhere', async () => {
  const fixed = createTranslate('en')('sampler.order.fixed')
  expect(await shownWith('koboldcpp')).toContain(fixed)
  expect(await shownWith('embedded')).not.toContain(fixed)
})
