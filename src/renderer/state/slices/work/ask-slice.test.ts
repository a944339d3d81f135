import { expect, it } from 'vitest'
import { FakeHost } from '../../../../../tests/fakes/window-host/fake-host.ts'
import { openWindow } from '../../../../../tests/fakes/window-host/open-window.ts'

const quotation = (line: number) => ({
  path: '001.txt',
  line,
  from: line * 10,
  to: line * 10 + 5,
  before: '',
  text: '猫が鳴いた',
  after: '',
  matches: [],
})

async function answered() {
  const host = new FakeHost()
  host.quotations = [quotation(1), quotation(2)]
  const { store } = await openWindow({ host })
  const ask = () => store.getState().ask
  ask().setQuestion('猫はどこで鳴いたか')
  await ask().ask()
  ask().visit(2)
  return { host, store, ask }
}

it('what a question found stays beside the text, with the place that was gone to last', async () => {
  const { store, ask } = await answered()
  store.getState().ui.showTab('details')
  ask().show()
  expect(store.getState().ui.tab).toBe('ask')
  expect(ask()).toMatchObject({ question: '猫はどこで鳴いたか', visited: 2 })
  expect(ask().answer?.quotations).toHaveLength(2)
  // Typing another question changes nothing yet; asking it does.
  ask().setQuestion('雨は')
  expect(ask().visited).toBe(2)
  await ask().ask()
  expect(ask().visited).toBeNull()
})

it('what a question found is forgotten with its work, which is left', async () => {
  const { host, store, ask } = await answered()
  host.work = { ...host.work, workId: 'another', root: '/another' }
  await store.getState().work.open('/another')
  expect(ask()).toMatchObject({ question: '', answer: null, modelAnswer: null, visited: null })
})
