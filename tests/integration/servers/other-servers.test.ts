import { afterEach, describe, expect, it } from 'vitest'
import { type Exchange, isExchange, recorded } from '../../fakes/servers/llama/recorded/recording.ts'
import { type OtherServer, startOtherServer } from '../../fakes/servers/other-servers.ts'

let server: OtherServer | undefined
afterEach(() => server?.close())

async function get(path: string): Promise<{ status: number; body: unknown }> {
  const response = await fetch((server?.address ?? '') + path)
  const text = await response.text()
  return { status: response.status, body: text.startsWith('{') ? JSON.parse(text) : text }
}

describe('servers of other makes', () => {
  it('answers unknown paths with 200 as LM Studio does', async () => {
    server = await startOtherServer('lm-studio')
    const { status, body } = await get('/api/extra/version')
    expect(status).toBe(200)
    expect(body).toMatchObject({ error: expect.stringContaining('Unexpected endpoint') })
    expect(server.requests).toEqual(['GET /api/extra/version'])
  })

  it("answers Ollama's path with a list that is llama.cpp's", async () => {
    server = await startOtherServer('older-llama-server')
    expect(await get('/api/tags')).toMatchObject({ status: 200, body: { data: [{ owned_by: 'llamacpp' }] } })
    expect((await get('/api/version')).status).toBe(404)
  })

  it('tells Ollama by its version and vLLM by its owner', async () => {
    server = await startOtherServer('ollama')
    expect((await get('/api/version')).body).toEqual({ version: expect.any(String) })
    await server.close()
    server = await startOtherServer('vllm', { modelName: 'mine' })
    expect((await get('/v1/models')).body).toMatchObject({ data: [{ id: 'mine', owned_by: 'vllm' }] })
  })

  it('never answers as a silent server', async () => {
    server = await startOtherServer('silent')
    await expect(fetch(server.address, { signal: AbortSignal.timeout(50) })).rejects.toThrow('timeout')
  })
})

const router = recorded
  .filter(isExchange)
  .filter(({ name }) => /^router_(health|props|slots|tokenize|chat_no_model)$/.test(name))

describe.skipIf(router.length === 0)("llama.cpp's router as recorded (skipped without the recording)", () => {
  it.each(router.map((entry) => [entry.name, entry] as const))('%s', async (_name, entry: Exchange) => {
    server = await startOtherServer('llama-router')
    const { method, path, body } = entry.request
    const response = await fetch(server.address + path, method === 'POST' ? { method, body } : {})
    expect(`HTTP/1.1 ${response.status} ${response.statusText}`).toBe(entry.response.status_line)
    expect(await response.text()).toBe(entry.response.body)
  })
})
