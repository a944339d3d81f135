import { existsSync, readdirSync } from 'node:fs'
import { copyFile, readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { writeTinyGguf } from '../../fakes/tiny-gguf.ts'
import {
  type AppWindowOptions,
  expect,
  type OpenAppWindow,
  openManuscript,
  page001,
  test,
} from '../support/drafting-test.ts'

const complete = `${openManuscript}、雨だった。`
const sharedModels = resolve(import.meta.dirname, '../../../../shared/models')

test('Esc stops the engine within moments; one that is killed in mid-text is said, its text kept, and the next run works', async ({
  openAppWindow,
}) => {
  const open = await openAppWindow(endless)
  const { appWindow, host, onDisk } = open
  await appWindow.press('Control+Enter')
  await expect.poll(async () => (await appWindow.offered()).length).toBeGreaterThan(5)
  await appWindow.press('Escape')
  await appWindow.idle(30_000)
  expect((await appWindow.offered()).length).toBeGreaterThan(5)

  // It is free for the next one at once.
  await appWindow.press('Alt+r')
  await expect(appWindow.status.getByRole('button', { name: '停止' })).toBeVisible()
  // More than is asked for below: at its end a run may take back a character that was drawn.
  await expect.poll(async () => (await appWindow.offered()).length).toBeGreaterThan(40)
  const [engine, ...others] = await childrenOf(host.process.pid)
  expect(others).toEqual([])
  if (engine === undefined) throw new Error('there is no engine process')
  process.kill(engine, 'SIGKILL')
  await expect(
    appWindow.page.getByText(/の実行が止まりました。.*もう一度試してください/).first(),
  ).toBeVisible()
  await appWindow.idle(30_000)
  const text = await appWindow.offered()
  expect(text.length).toBeGreaterThan(20)
  expect(await onDisk()).toBe(complete)

  await appWindow.press('Alt+r')
  await expect.poll(() => appWindow.pending.count()).toBe(1)
  // The new run's own text: an Esc before it would leave no third take.
  await expect
    .poll(async () => {
      const now = await appWindow.offered()
      return now.length > 20 && now !== text
    })
    .toBe(true)
  const next = await childrenOf(host.process.pid)
  expect(next).toHaveLength(1)
  expect(next).not.toContain(engine)
  await appWindow.press('Escape')
  await appWindow.idle(30_000)
  await appWindow.showTab('候補')
  await expect(appWindow.takes).toHaveCount(3)
})

test('a real vocabulary fits a page to the context of the file', async ({ openAppWindow }) => {
  const file = join(sharedModels, 'tiny-llama.gguf')
  test.skip(!existsSync(file), `there is no ${file}`)
  const { appWindow } = await openAppWindow({
    files: { [page001]: complete },
    gguf: copied(file),
    drafting: { outputTokensGenerate: 12 },
  })
  await appWindow.showTab('文脈')
  await expect(appWindow.page.getByRole('region', { name: '内訳' })).toContainText(/\d+ \/ 8,?192 トークン/)
  await appWindow.editor.focus()
  await appWindow.press('Control+Enter')
  await appWindow.showTab('候補')
  await expect(appWindow.takes.first()).toContainText('12 トークン')
})

test('each model of the cache folder continues a page', async ({ openAppWindow }) => {
  const folder = process.env.TSUGI_TEST_MODELS ?? ''
  const files = existsSync(folder) ? readdirSync(folder).filter((name) => /\.gguf$/i.test(name)) : []
  test.skip(files.length === 0, 'TSUGI_TEST_MODELS names no folder with GGUF files')
  test.setTimeout(60_000 + 240_000 * files.length)
  const [first = ''] = files
  const { appWindow, client } = await openAppWindow({
    files: { [page001]: complete },
    gguf: async () => join(folder, first),
    drafting: { outputTokensGenerate: 20 },
  })
  for (const name of files) {
    await client['model.use']({ backend: 'embedded', file: join(folder, name) })
    await appWindow.press('Control+Enter')
    await expect(appWindow.status).toContainText('書いています', { timeout: 120_000 })
    await appWindow.idle(180_000)
    expect((await appWindow.offered()).trim()).not.toBe('')
    await appWindow.press('Escape')
  }
})

/** The tiny model, asked for its likeliest words; its weights are random, so that it never ends. */
const endless: AppWindowOptions = {
  files: { [page001]: complete },
  drafting: { outputTokensGenerate: 6000, banEosToken: true },
  samplerPresetId: 'exact',
  gguf: async (modelsDir) => {
    const file = join(modelsDir, 'neko.gguf')
    writeTinyGguf(file, { says: '吾輩は猫である。名前まだ無い', contextTokens: 8192, name: '猫', seed: 7 })
    return file
  },
}

function copied(file: string) {
  return async (modelsDir: string) => {
    const copy = join(modelsDir, 'copy.gguf')
    await copyFile(file, copy)
    return copy
  }
}

/** Processes that this one has started and that are still there. */
async function childrenOf(pid: OpenAppWindow['host']['process']['pid']): Promise<number[]> {
  const found: number[] = []
  for (const name of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    // A process may end while the list is read.
    const stat = await readFile(`/proc/${name}/stat`, 'utf8').catch(() => '')
    const [state, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    if (state !== 'Z' && Number(parent) === pid) found.push(Number(name))
  }
  return found
}
