import { beforeAll, describe, expect, it } from 'vitest'
import { DocumentedEmitter, documented } from '../electron-standin/documented.ts'
import { type DocumentedType, readElectronTypes } from '../electron-standin/electron-types.ts'

let types: Map<string, DocumentedType>

beforeAll(async () => {
  types = readElectronTypes()
  await import('../electron-standin/electron-module.ts')
})

const typeOf = (name: string): DocumentedType => {
  const type = types.get(name)
  if (type === undefined) throw new Error(`electron.d.ts has no ${name}`)
  return type
}

describe('reading electron.d.ts', () => {
  it('finds members, overloads, inherited members and what events carry', () => {
    expect(typeOf('App').members.get('setPath')).toEqual([['name', 'path']])
    expect(typeOf('BrowserWindow').members.get('setProgressBar')).toEqual([['progress', 'options']])
    expect(typeOf('Dialog').members.get('showMessageBox')).toEqual([['window', 'options'], ['options']])
    expect(typeOf('BrowserWindow').members.get('id')).toBeUndefined()
    expect(typeOf('App').events.get('second-instance')).toEqual([
      'event',
      'argv',
      'workingDirectory',
      'additionalData',
    ])
    expect(typeOf('WebContents').events.get('will-frame-navigate')).toEqual(['details'])
    expect(typeOf('BrowserWindow').events.get('closed')).toEqual([])
  })
})

describe('the stand-in for Electron', () => {
  it('stands in for the modules and classes that the shell uses', () => {
    const names = ['App', 'BrowserWindow', 'Dialog', 'IpcMain', 'Menu', 'Notification', 'Protocol', 'Session']
    expect([...documented.keys()]).toEqual(
      expect.arrayContaining([...names, 'UtilityProcess', 'WebContents']),
    )
  })

  it('has no member that Electron does not have', () => {
    const invented = [...documented].flatMap(([name, { members }]) =>
      [...members.keys()]
        .filter((member) => !typeOf(name).members.has(member) && member !== 'emit')
        .map((member) => `${name}.${member}`),
    )
    expect(invented).toEqual([])
  })

  it('takes no more than Electron gives', () => {
    const greedy: string[] = []
    for (const [name, { members }] of documented) {
      for (const [member, value] of members) {
        const overloads = typeOf(name).members.get(member)
        if (typeof value !== 'function' || overloads === undefined) continue
        const most = Math.max(...overloads.map((parameters) => parameters.length))
        if (value.length > most)
          greedy.push(`${name}.${member} takes ${value.length}, Electron gives ${most}`)
      }
    }
    expect(greedy).toEqual([])
  })

  it('sends events with what Electron sends', () => {
    for (const [name, { events }] of documented) {
      for (const [event, contents] of Object.entries(events)) {
        expect([`${name}:${event}`, contents]).toEqual([`${name}:${event}`, typeOf(name).events.get(event)])
      }
    }
  })

  it('refuses what it lacks, loudly', async () => {
    const electron = await import('../electron-standin/electron-module.ts')
    expect(() => Reflect.get(electron.app, 'getGPUInfo')).toThrow('lacks App.getGPUInfo')
    expect(() => Reflect.get(electron.Menu.buildFromTemplate([]), 'closePopup')).toThrow(
      'lacks Menu.closePopup',
    )
    expect(() => electron.app.on('login', () => undefined)).toThrow("lacks App.on('login')")
    expect(() => electron.Menu.buildFromTemplate([{ role: 'recentDocuments' }])).toThrow('recentDocuments')
  })

  it('cannot send an event with other contents than documented', () => {
    const emitter = new DocumentedEmitter('App', { 'open-file': ['event', 'path'] })
    expect(() => emitter.emit('open-file', {})).toThrow('(event, path)')
    expect(() => emitter.emit('activate')).toThrow("emit('activate')")
  })
})
