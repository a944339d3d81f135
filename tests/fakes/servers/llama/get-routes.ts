import type { LlamaCore } from './core.ts'
import { fixedErrors, Refusal } from './refusal.ts'
import { knowsTools } from './requests/chat-template.ts'
import { publicSettings, readParams } from './requests/params.ts'
import { fingerprint } from './wording/chat-wording.ts'

/** The status and body of a GET. Errors: `Refusal`. */
export function getRoute(core: LlamaCore, url: URL): readonly [status: number, body: unknown] {
  switch (url.pathname) {
    case '/health':
    case '/v1/health':
      return [200, { status: 'ok' }]
    case '/models':
    case '/v1/models':
      return [200, modelList(core)]
    case '/props':
      return [200, props(core)]
    case '/slots':
      return [200, slotList(core, url.searchParams.get('fail_on_no_slot') === '1')]
    case '/lora-adapters':
      return [200, []]
    case '/metrics':
      throw new Refusal(501, 'This server does not support metrics endpoint. Start it with `--metrics`')
    case '/tools':
    case '/cors-proxy':
      return fixedErrors.disabled
    default:
      return fixedErrors.notFound
  }
}

function modelList(core: LlamaCore): unknown {
  const name = core.modelName
  return {
    models: [
      {
        name,
        model: name,
        modified_at: '',
        size: '',
        digest: '',
        type: 'model',
        description: '',
        tags: [''],
        capabilities: ['completion'],
        parameters: '',
        details: {
          parent_model: '',
          format: 'gguf',
          family: '',
          families: [''],
          parameter_size: '',
          quantization_level: '',
        },
      },
    ],
    object: 'list',
    data: [
      {
        id: name,
        aliases: [name],
        tags: [],
        object: 'model',
        architecture: { input_modalities: ['text'], output_modalities: ['text'] },
        created: core.startedAt,
        owned_by: 'llamacpp',
        meta: {
          vocab_type: 2,
          n_vocab: core.vocabulary.size,
          n_ctx: core.contextTokens,
          n_ctx_train: 8192,
          n_embd: 576,
          n_params: 134_515_008,
          size: 96_576_768,
          ftype: 'Q4_1',
        },
      },
    ],
  }
}

function props(core: LlamaCore): unknown {
  const isTooled = knowsTools(core.template)
  const settings = { ...publicSettings(readParams({}).settings), reasoning_format: 'none' }
  return {
    default_generation_settings: { params: settings, n_ctx: core.contextTokens },
    total_slots: core.pool.slots.length,
    model_alias: core.modelName,
    model_ftype: 'Q4_1',
    model_path: 'smol.gguf',
    modalities: { vision: core.options.hasVision === true, video: false, audio: false },
    media_marker: '<__media__>',
    endpoint_slots: core.options.hasSlotsRoute ?? true,
    endpoint_props: core.options.hasPropsPost ?? false,
    endpoint_metrics: false,
    ui: true,
    ui_settings: {},
    chat_template: templateTexts[core.template],
    chat_template_caps: {
      supports_object_arguments: isTooled,
      supports_parallel_tool_calls: isTooled,
      supports_preserve_reasoning: false,
      supports_reasoning_effort: false,
      supports_string_content: true,
      supports_system_role: true,
      supports_tool_calls: isTooled,
      supports_tools: isTooled,
      supports_typed_content: false,
    },
    bos_token: '<|im_start|>',
    eos_token: '<|im_end|>',
    build_info: fingerprint,
    is_sleeping: false,
    cors_proxy_enabled: false,
  }
}

const chatml =
  "{% for message in messages %}{{'<|im_start|>' + message['role'] + '\\n' + message['content'] + '<|im_end|>' + '\\n'}}{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}"
/** Only readers of its text see it: the fake renders by `chat-template.ts`. */
const templateTexts = {
  'no-tools': chatml,
  none: chatml,
  tools: `{% if tools %}{{ '# Tools' }}{% for tool in tools %}{{ tool | tojson }}{% endfor %}{% endif %}${chatml}`,
  thinking: `{% if tools %}{{ '# Tools' }}{% for tool in tools %}{{ tool | tojson }}{% endfor %}{% endif %}${chatml}{% if enable_thinking is false %}{{ '<think>\\n\\n</think>\\n\\n' }}{% endif %}`,
}

function slotList(core: LlamaCore, failsWhenFull: boolean): unknown {
  if (core.options.hasSlotsRoute === false) {
    throw new Refusal(501, 'This server does not support slots endpoint. Start it with `--slots`')
  }
  if (failsWhenFull && core.pool.isFull) throw new Refusal(503, 'no slot available')
  return core.pool.slots.map((slot) => {
    const fresh = {
      id: slot.id,
      n_ctx: core.contextTokens,
      speculative: false,
      is_processing: slot.lease !== null,
    }
    const { last } = slot
    if (last === null) return fresh
    const isBusy = slot.lease !== null
    const limit = Number(last.params.n_predict)
    return {
      ...fresh,
      id_task: last.taskId,
      n_prompt_tokens: isBusy ? last.promptTokens.length + last.predictedTokens : slot.tokens.length,
      n_prompt_tokens_processed: isBusy ? last.promptTokens.length - last.reusedTokens : 0,
      n_prompt_tokens_cache: isBusy ? last.reusedTokens : 0,
      params: publicSettings(last.params),
      next_token: [
        {
          has_next_token: isBusy,
          has_new_line: false,
          n_remain: isBusy && limit > 0 ? limit - last.predictedTokens : -1,
          n_decoded: isBusy ? last.predictedTokens : 0,
        },
      ],
    }
  })
}
