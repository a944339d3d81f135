import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { visiblePlaces } from './visible-places.ts'

it.skipIf(process.platform !== 'linux')(
  'shows no folder of the search path that is a link to the home folder, the project or the app’s data',
  async () => {
    // Nothing is shown of `/tmp`, where the folders of tests are.
    const top = realpathSync(mkdtempSync(join(homedir(), '.tsugi-test-')))
    onTestFinished(() => rmSync(top, { recursive: true, force: true }))
    const [home, project, dataDir] = ['home', 'project', 'data'].map((name) => join(top, name))
    if (home === undefined || project === undefined || dataDir === undefined) throw new Error('three folders')
    const targets = {
      home,
      project: join(project, 'bin'),
      data: join(dataDir, 'keys'),
      tools: join(top, 'tools'),
    }
    mkdirSync(join(top, 'path'))
    for (const [name, target] of Object.entries(targets)) {
      mkdirSync(target, { recursive: true })
      symlinkSync(target, join(top, 'path', name))
    }
    const path = Object.keys(targets)
      .map((name) => join(top, 'path', name))
      .join(':')
    const shown = (await visiblePlaces({ path, home, project, dataDir })).map((place) => place.path)
    expect(shown.filter((place) => place.startsWith(top))).toEqual([join(top, 'path/tools'), targets.tools])
  },
)

it.skipIf(process.platform !== 'linux')(
  'shows a folder once where the folder around it is shown, in any order of the search path',
  async () => {
    const top = realpathSync(mkdtempSync(join(homedir(), '.tsugi-test-')))
    onTestFinished(() => rmSync(top, { recursive: true, force: true }))
    const [home, project, dataDir] = ['home', 'project', 'data'].map((name) => join(top, name)) as [
      string,
      string,
      string,
    ]
    const [outer, inner, beside] = ['tools', 'tools/in', 'tools-too'].map((name) => join(top, name)) as [
      string,
      string,
      string,
    ]
    for (const folder of [home, project, dataDir, inner, beside]) mkdirSync(folder, { recursive: true })
    const shownOf = async (path: string[]): Promise<string[]> =>
      (await visiblePlaces({ path: path.join(':'), home, project, dataDir }))
        .map((place) => place.path)
        .filter((place) => place.startsWith(top))
    expect(await shownOf([inner, beside, outer, outer])).toEqual([beside, outer])
    expect(await shownOf([outer, inner, beside])).toEqual([outer, beside])
  },
)
