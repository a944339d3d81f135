import { describe, expect, it } from 'vitest'
import { RefusedError } from './keep-connected.ts'
import { takeLinkSecret } from './link-secret.ts'

/** A tab at `hash`, before a host that answers `reply` to the exchange. */
function openTab(hash: string, reply: () => Response | Promise<Response>, kept: Record<string, string> = {}) {
  const storage = new Map(Object.entries(kept))
  const location = { hash, pathname: '/', search: '?x=1' }
  const replaced: unknown[] = []
  const asked: unknown[] = []
  const secret = takeLinkSecret({
    location,
    history: { replaceState: (_data, _title, url) => replaced.push(url) },
    storage: {
      getItem: (key) => storage.get(key) ?? null,
      setItem: (key, value) => void storage.set(key, value),
      removeItem: (key) => void storage.delete(key),
    },
    fetch: async (url, init) => {
      asked.push([url, init?.method, init?.body])
      return reply()
    },
  })
  return { secret, location, replaced, asked, storage }
}

const accepted = () => Response.json({ secret: 'new' })
const refused = () => new Response('', { status: 401 })

describe('the secret of a tab', () => {
  it('comes from the link, whose token leaves the address bar before anything is asked', async () => {
    const { secret, replaced, asked, storage } = openTab('#link=token', accepted)
    expect([replaced, asked]).toEqual([['/?x=1'], []])
    expect(await secret.get()).toBe('new')
    expect(asked).toEqual([['/link', 'POST', '{"token":"token"}']])
    expect([...storage.values()]).toEqual(['new'])
  })

  it('is kept: a second connection does not exchange again', async () => {
    const { secret, asked } = openTab('#link=token', accepted)
    await secret.get()
    expect(await secret.get()).toBe('new')
    expect(asked).toHaveLength(1)
  })

  it('survives a reload, which has no link any more', async () => {
    const { secret, asked, replaced } = openTab('', accepted, { 'tsugi.secret': 'kept' })
    expect(await secret.get()).toBe('kept')
    expect([asked, replaced]).toEqual([[], []])
  })

  it('survives a link that was used before', async () => {
    const { secret } = openTab('#link=used', refused, { 'tsugi.secret': 'kept' })
    expect(await secret.get()).toBe('kept')
  })

  it('is refused without a link, with a used one, and once the host does not know it', async () => {
    await expect(openTab('', accepted).secret.get()).rejects.toBeInstanceOf(RefusedError)
    await expect(openTab('#link=used', refused).secret.get()).rejects.toBeInstanceOf(RefusedError)
    const { secret } = openTab('', accepted, { 'tsugi.secret': 'kept' })
    secret.forget()
    await expect(secret.get()).rejects.toBeInstanceOf(RefusedError)
  })

  it('keeps the token while the host cannot be reached or says to wait', async () => {
    const replies = [
      () => Promise.reject(new TypeError('no host')) as never,
      () => new Response('', { status: 429 }),
      accepted,
    ]
    const { secret, asked } = openTab('#link=token', () => replies.shift()?.() ?? refused())
    await expect(secret.get()).rejects.toThrow('no host')
    await expect(secret.get()).rejects.toThrow('429')
    expect(await secret.get()).toBe('new')
    expect(asked).toHaveLength(3)
  })

  it('can be given anew by a link that is pasted into the same tab', async () => {
    const { secret, location } = openTab('', accepted)
    expect(secret.take()).toBe(false)
    location.hash = '#link=token'
    expect(secret.take()).toBe(true)
    expect(await secret.get()).toBe('new')
  })

  it('comes from a link that is pasted while the one before it is being exchanged', async () => {
    const late = Promise.withResolvers<Response>()
    const replies = [late.promise, accepted()]
    const { secret, location, asked } = openTab('#link=old', () => replies.shift() ?? refused())
    const first = secret.get()
    location.hash = '#link=token'
    expect(secret.take()).toBe(true)
    late.resolve(refused())
    await expect(first).rejects.toBeInstanceOf(RefusedError)
    expect(await secret.get()).toBe('new')
    expect(asked.at(-1)).toEqual(['/link', 'POST', '{"token":"token"}'])
  })
})
