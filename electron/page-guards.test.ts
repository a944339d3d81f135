import { EventEmitter } from 'node:events'
import type { Session, WebContents } from 'electron'
import { describe, expect, it } from 'vitest'
import { guardPage, guardSession, setSpelling } from './page-guards.ts'

type OpenHandler = Parameters<WebContents['setWindowOpenHandler']>[0]

function guardedPage() {
  const outside: string[] = []
  const events = new EventEmitter()
  let openHandler: OpenHandler = () => ({ action: 'allow' })
  guardPage(
    Object.assign(events, {
      setWindowOpenHandler: (handler: OpenHandler) => {
        openHandler = handler
      },
    }) as unknown as WebContents,
    (address) => outside.push(address),
  )
  const stops = (event: string, details: object): boolean => {
    let isStopped = false
    events.emit(event, { ...details, preventDefault: () => (isStopped = true) })
    return isStopped
  }
  return {
    outside,
    goes: (url: string, isMainFrame = true) => !stops('will-frame-navigate', { url, isMainFrame }),
    opens: (url: string) => openHandler({ url } as Parameters<OpenHandler>[0]).action === 'allow',
    embeds: () => !stops('will-attach-webview', {}),
  }
}

describe('guardPage', () => {
  it('lets the page reload itself and go nowhere else', () => {
    const { goes, outside } = guardedPage()
    expect(goes('tsugi://app/index.html')).toBe(true)
    expect(goes('tsugi://other/')).toBe(false)
    expect(goes('file:///etc/passwd')).toBe(false)
    expect(goes('data:text/html,x')).toBe(false)
    expect(goes('tsugi://app/index.html', false)).toBe(false)
    expect(outside).toEqual([])
  })

  it('hands a link to the browser', () => {
    const { goes, outside } = guardedPage()
    expect(goes('https://example.test/')).toBe(false)
    expect(goes('https://example.test/frame', false)).toBe(false)
    expect(outside).toEqual(['https://example.test/'])
  })

  it('opens no window and embeds nothing', () => {
    const { opens, embeds, outside } = guardedPage()
    expect(opens('tsugi://app/index.html')).toBe(false)
    expect(opens('https://example.test/')).toBe(false)
    expect(opens('file:///bin/sh')).toBe(false)
    expect(embeds()).toBe(false)
    expect(outside).toEqual(['https://example.test/'])
  })
})

describe('guardSession', () => {
  it('denies everything but text for the clipboard and files that the page has made', () => {
    const handlers: {
      request?: undefined | Parameters<Session['setPermissionRequestHandler']>[0]
      check?: undefined | Parameters<Session['setPermissionCheckHandler']>[0]
      device?: undefined | Parameters<Session['setDevicePermissionHandler']>[0]
    } = {}
    const events = new EventEmitter()
    guardSession(
      Object.assign(events, {
        setPermissionRequestHandler: (handler: typeof handlers.request) => {
          handlers.request = handler
        },
        setPermissionCheckHandler: (handler: typeof handlers.check) => {
          handlers.check = handler
        },
        setDevicePermissionHandler: (handler: typeof handlers.device) => {
          handlers.device = handler
        },
      }) as unknown as Session,
    )
    const asked = (
      ['media', 'clipboard-read', 'clipboard-sanitized-write', 'notifications', 'openExternal'] as const
    ).map((permission) => {
      let isGranted: boolean | undefined
      handlers.request?.({} as WebContents, permission, (answer) => (isGranted = answer), {} as never)
      return [permission, isGranted, handlers.check?.(null, permission, 'tsugi://app', {} as never)]
    })
    expect(asked).toEqual([
      ['media', false, false],
      ['clipboard-read', false, false],
      ['clipboard-sanitized-write', true, true],
      ['notifications', false, false],
      ['openExternal', false, false],
    ])
    expect(handlers.device?.({} as never)).toBe(false)
    const isStopped = (address: string): boolean => {
      let stopped = false
      events.emit('will-download', { preventDefault: () => (stopped = true) }, { getURL: () => address })
      return stopped
    }
    expect(isStopped('https://example.test/a.exe')).toBe(true)
    expect(isStopped('data:text/html,x')).toBe(true)
    expect(isStopped('blob:https://example.test/1')).toBe(true)
    expect(isStopped('blob:tsugi://app/1')).toBe(false)
  })
})

describe('setSpelling', () => {
  const record = (isOn: boolean, platform: NodeJS.Platform) => {
    const calls: unknown[] = []
    setSpelling(
      {
        setSpellCheckerEnabled: (isEnabled) => void calls.push(isEnabled),
        setSpellCheckerLanguages: (languages) => void calls.push(languages),
      },
      isOn,
      platform,
    )
    return calls
  }

  it('asks for no dictionary while it is off', () => {
    expect(record(false, 'linux')).toEqual([[], false])
    expect(record(true, 'win32')).toEqual([['en-US'], true])
    expect(record(true, 'darwin')).toEqual([true])
  })
})
