import type { FakeKobold } from '../fake-kobold.ts'
import type { Generator } from './generation.ts'
import { isAuthorized } from './post-routes.ts'
import { commonHeaders, type RawReply, type RawRequest } from './raw-http.ts'
import { sendJson, sendMissing, sendUnauthorized } from './replies.ts'

const missing = 'Error: HTTP Server is running, but this endpoint does not exist. Please check the URL.'

/** Paths match by their end, a trailing slash is dropped, a query is a path that does not exist. */
export function answerGet(
  fake: FakeKobold,
  generator: Generator,
  request: RawRequest,
  reply: RawReply,
): void {
  const path = request.path.replace(/\/$/, '')
  const { contextTokens = 2048, modelName = 'tiny-llama', password, version = '1.76' } = fake.options
  const isOpen = isAuthorized(fake, request)
  const ok = (value: unknown) => sendJson(reply, '200 OK', value)
  const routes: [string, () => void][] = [
    ['/api/v1/info/version', () => ok({ result: '1.2.5' })],
    [
      '/api/extra/version',
      () =>
        ok({
          result: 'KoboldCpp',
          version,
          protected: password !== undefined,
          txt2img: false,
          vision: false,
          transcribe: false,
        }),
    ],
    ['/api/v1/model', () => ok({ result: `koboldcpp/${isOpen ? modelName : 'protected-model'}` })],
    ['/api/latest/model', () => ok({ result: `koboldcpp/${isOpen ? modelName : 'protected-model'}` })],
    // The Horde's limit, not the real one.
    ['/api/v1/config/max_context_length', () => ok({ value: Math.min(contextTokens, 4096) })],
    ['/api/v1/config/max_length', () => ok({ value: 400 })],
    ['/api/v1/config/soft_prompt', () => ok({ value: '' })],
    ['/api/v1/config/soft_prompts_list', () => ok({ values: [] })],
    ['/api/extra/true_max_context_length', () => ok({ value: contextTokens })],
    ['/api/extra/perf', () => ok(generator.perf())],
    ['/api/extra/preloadstory', () => ok(fake.options.preloadStory ?? {})],
    ['/sdapi/v1/sd-models', () => ok([])],
    [
      '/api/extra/generate/check',
      () => (isOpen ? ok({ results: [{ text: generator.checkText('') }] }) : sendUnauthorized(reply)),
    ],
    [
      '/v1/models',
      () =>
        ok({
          object: 'list',
          data: [
            {
              id: `koboldcpp/${modelName}`,
              object: 'model',
              created: Math.floor(Date.now() / 1000),
              owned_by: 'koboldcpp',
              permission: [],
              root: 'koboldcpp',
            },
          ],
        }),
    ],
  ]
  if (request.method === 'HEAD' || path === '') {
    reply.send('200 OK', commonHeaders('text/html'), request.method === 'HEAD' ? '' : '<!DOCTYPE html>')
    return
  }
  const route = routes.find(([end]) => path.endsWith(end))
  if (route === undefined) sendMissing(reply, missing)
  else route[1]()
}
