import { execFileSync, spawnSync } from 'node:child_process'
import { closeSync, openSync, readdirSync, rmSync, statfsSync, writeSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { approve, noCalls } from '../../fakes/scripted-mind.ts'
import { temporaryFolder } from '../support/host.ts'
import { expect, test } from '../support/session-test.ts'
import { shoot } from '../support/shoot.ts'
import { appFile, appText, edit, openSpeculation } from './speculation-stage.ts'

const toTwo = edit('port = 1', 'port = 2', noCalls, approve)
const suggestion = 'Use port two'

test('a full disk: nothing is written, the text is in the box with the reason, and it can be run again', async ({
  openRoom,
}) => {
  test.slow()
  const root = await temporaryFolder('small')
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=8m', 'tmpfs', root], { encoding: 'utf8' })
  test.skip(mounted.status !== 0, `no small disk can be mounted here: ${mounted.stderr}`)
  try {
    const language = 'en'
    const opened = await openSpeculation((options) => openRoom({ ...options, language, root }), {
      language,
      thoughts: toTwo,
      suggestions: [suggestion],
    })
    const { room, mind, ghost, mark, strip, onDisk } = opened
    const { page } = room
    await expect(ghost).toHaveText(suggestion)
    await expect(mark).toContainText('1 file')
    const before = readdirSync(root, { recursive: true })
    await test.step('Tab on a full disk writes nothing, and says why', async () => {
      fill(root)
      await page.keyboard.press('Tab')
      await expect(strip).toContainText('disk is full')
      await expect(room.box).toContainText(suggestion)
      await shoot(page, 'full-disk')
      expect(await onDisk(appFile)).toBe(appText)
      await expect(room.conversation).not.toContainText(suggestion)
    })
    await test.step('with room again it is run again and taken over', async () => {
      rmSync(join(root, filler))
      expect(readdirSync(root, { recursive: true })).toEqual(before)
      mind.left.length = 0
      mind.think(...toTwo)
      await strip.getByRole('button', { name: 'Run again' }).click()
      await expect(strip).toContainText('Finished ahead')
      await strip.getByRole('button', { name: 'Use it' }).click()
      await room.approve()
      await expect.poll(() => onDisk(appFile)).toContain('port = 2')
      await expect(room.conversation.getByRole('article', { name: 'You' }).last()).toContainText(suggestion)
    })
  } finally {
    execFileSync('umount', ['-l', root])
    await rm(root, { recursive: true, force: true })
  }
})

const filler = '.filler'

/** Leaves not one block free. */
function fill(root: string): void {
  const file = openSync(join(root, filler), 'a')
  const block = Buffer.alloc(4096, 1)
  try {
    while (statfsSync(root).bfree > 0) writeSync(file, block)
  } finally {
    closeSync(file)
  }
}
