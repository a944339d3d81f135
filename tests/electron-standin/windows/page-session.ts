import type { CdpParams, Chromium } from './chromium.ts'

/** One page of Chromium, attached over the DevTools protocol. */
export type PageSession = {
  targetId: string
  send<T = CdpParams>(method: string, params?: CdpParams): Promise<T>
}

/** Opens an empty page and turns on what the stand-in follows. */
export async function openPage(
  chromium: Chromium,
  size: { width: number; height: number },
  onEvent: (method: string, params: never) => void,
): Promise<PageSession> {
  const { targetId } = await chromium.send<{ targetId: string }>('Target.createTarget', {
    url: 'about:blank',
    newWindow: true,
    ...size,
  })
  const attached = await chromium.send<{ sessionId: string }>('Target.attachToTarget', {
    targetId,
    flatten: true,
  })
  const { sessionId } = attached
  chromium.listen(onEvent, sessionId)
  const send: PageSession['send'] = (method, params) => chromium.send(method, params, sessionId)
  await Promise.all([send('Runtime.enable'), send('Page.enable'), send('Inspector.enable')])
  return { targetId, send }
}
