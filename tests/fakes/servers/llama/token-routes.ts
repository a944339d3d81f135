import type { LlamaCore } from './core.ts'
import { Refusal } from './refusal.ts'
import { type Body, typeRefusal } from './requests/params.ts'

/** `/tokenize`: without a content there are no tokens. */
export function tokenize(core: LlamaCore, body: unknown): unknown {
  const fields = fieldsOf(body)
  const ids = 'content' in fields ? readContent(core, fields.content, fields.parse_special !== false) : []
  if (fields.with_pieces !== true) return { tokens: ids }
  return {
    tokens: ids.map((id) => {
      const bytes = core.vocabulary.bytesOf(id) ?? Buffer.alloc(0)
      const text = bytes.toString('utf8')
      return { id, piece: Buffer.from(text).equals(bytes) ? text : [...bytes] }
    }),
  }
}

function readContent(core: LlamaCore, content: unknown, parsesSpecial: boolean): number[] {
  if (Array.isArray(content)) {
    return content.flatMap((part) => {
      if (typeof part === 'string') return core.vocabulary.encode(part, parsesSpecial)
      if (typeof part !== 'number') throw typeRefusal(null, 'number', part)
      return [part]
    })
  }
  if (typeof content !== 'string') throw typeRefusal(null, 'string', content)
  return core.vocabulary.encode(content, parsesSpecial)
}

/** `/detokenize`: fractions are cut off. */
export function detokenize(core: LlamaCore, body: unknown): unknown {
  const { tokens = [] } = fieldsOf(body)
  if (!Array.isArray(tokens)) throw typeRefusal(null, 'array', tokens)
  const ids = tokens.map((token) => {
    if (typeof token !== 'number') throw typeRefusal(null, 'number', token)
    return checkedId(core, Math.trunc(token))
  })
  return { content: core.vocabulary.decode(ids) }
}

function checkedId(core: LlamaCore, id: number): number {
  if (core.vocabulary.bytesOf(id) !== null) return id
  const unsigned = BigInt.asUintN(64, BigInt(id))
  throw new Refusal(
    500,
    `vector::_M_range_check: __n (which is ${unsigned}) >= this->size() (which is ${core.vocabulary.size})`,
  )
}

function fieldsOf(body: unknown): Body {
  return typeof body === 'object' && body !== null && !Array.isArray(body) ? (body as Body) : {}
}
