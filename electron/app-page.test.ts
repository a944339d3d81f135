import { EventEmitter } from 'node:events'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Session, WebContents } from 'electron'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openRendererFiles } from '../src/main/web-host/renderer-files.ts'
import {
  createAppHandler,
  guardPage,
  guardSession,
  isAppPage,
  isOutsideAddress,
  setSpelling,
} from './app-page.ts'

describe('app protocol', () => {
  let folder: string
  let handle: (request: Request) => Promise<Response>

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tsugi-window-'))
    const rendererDir = join(folder, 'renderer')
    await mkdir(join(rendererDir, 'assets'), { recursive: true })
    await writeFile(join(rendererDir, 'index.html'), '<script nonce="__CSP_NONCE__"></script>')
    await writeFile(join(rendererDir, 'assets', 'a b.js'), 'export {}')
    await writeFile(join(folder, 'secret.txt'), 'secret')
    await symlink(join(folder, 'secret.txt'), join(rendererDir, 'link.txt'))
    handle = createAppHandler(await openRendererFiles(rendererDir))
  })
  afterAll(() => rm(folder, { recursive: true }))

  const get = (address: string, method = 'GET') => handle(new Request(address, { method }))

  describe('createAppHandler', () => {
    it('serves the page with a new nonce each time', async () => {
      const first = await get('tsugi://app/index.html')
      const second = await get('tsugi://app/')
      const csp = first.headers.get('Content-Security-Policy') ?? ''
      const nonce = /'nonce-([^']+)'/.exec(csp)?.[1]
      expect(await first.text()).toBe(`<script nonce="${nonce}"></script>`)
      expect(csp).toContain("default-src 'none'")
      expect(csp).not.toContain('unsafe')
      expect(await second.text()).not.toContain(nonce)
    })

    it('serves the files beside it with their type', async () => {
      const answer = await get('tsugi://app/assets/a%20b.js?v=1')
      expect([answer.status, answer.headers.get('Content-Type')]).toEqual([
        200,
        'text/javascript; charset=utf-8',
      ])
      expect(await answer.text()).toBe('export {}')
    })

    it('answers HEAD without a body', async () => {
      const answer = await get('tsugi://app/assets/a%20b.js', 'HEAD')
      expect([answer.status, await answer.text()]).toEqual([200, ''])
    })

    it.each([
      'tsugi://app/../secret.txt',
      'tsugi://app/..%2fsecret.txt',
      'tsugi://app/assets/..%5c..%5csecret.txt',
      'tsugi://app/%2e%2e/secret.txt',
      'tsugi://app//etc/passwd',
      'tsugi://app/link.txt',
      'tsugi://other/index.html',
      'tsugi://app.evil/index.html',
    ])('has nothing at %s', async (address) => {
      const answer = await get(address)
      expect([answer.status, await answer.text()]).toEqual([404, ''])
    })

    it('takes no other method', async () => {
      expect((await get('tsugi://app/index.html', 'POST')).status).toBe(405)
    })
  })

  describe('addresses', () => {
    it('shows nothing but its own page', () => {
      expect(isAppPage('tsugi://app/index.html')).toBe(true)
      for (const other of ['tsugi://app.evil/', 'tsugi:app/', 'https://app/', 'file:///index.html', '']) {
        expect(isAppPage(other), other).toBe(false)
      }
    })

    it('hands the web and mail to the system, and nothing that runs something', () => {
      for (const address of ['https://example.test/', 'http://127.0.0.1:5001/', 'mailto:a@example.test']) {
        expect(isOutsideAddress(address), address).toBe(true)
      }
      for (const address of ['file:///bin/sh', 'javascript:alert(1)', 'tsugi://app/', 'smb://host/x', 'x']) {
        expect(isOutsideAddress(address), address).toBe(false)
      }
    })
  })
})

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
