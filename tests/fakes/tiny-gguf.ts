import { writeFileSync } from 'node:fs'

export type TinyGguf = {
  /** What the model says at temperature 0, character by character; no character twice. */
  says?: string
  /** Random weights in place of a text. */
  seed?: number
  contextTokens?: number
  name?: string
  /** User-defined tokens: they are recognised with and without special tokens. */
  userTokens?: string[]
  /** The markers that the vocabulary holds as control tokens. */
  markers?: readonly string[]
}

type Token = { text: string; score: number; type: number }
type Tensor = { name: string; shape: number[]; data: Float32Array }
type Value =
  | { kind: 'u32' | 'i32' | 'f32'; value: number }
  | { kind: 'bool'; value: boolean }
  | { kind: 'string'; value: string }
  | { kind: 'list'; of: 'i32' | 'f32' | 'string'; values: (number | string)[] }

const tokenType = { normal: 1, unknown: 2, control: 3, userDefined: 4, byte: 6 }
const valueType = { u32: 4, i32: 5, f32: 6, bool: 7, string: 8, list: 9 }
const shape = { width: 128, heads: 4, kvHeads: 2, hidden: 32 }
const alignment = 32

const tinyMarkers = ['<|im_start|>', '<|im_end|>', '[INST]', '[/INST]']

export const chatTemplate =
  "{% for m in messages %}{{ '<|im_start|>' + m['role'] + '\n' + m['content'] + '<|im_end|>\n' }}{% endfor %}"

/**
 * Writes a llama-architecture model of half a megabyte that the real engine loads.
 *
 * With `says` its attention has no effect and each token's output row is the sum of its predecessors' embeddings,
 * so that the likeliest next token depends on the last token alone. A line end or a marker starts the text.
 * Source: the GGUF v3 format, https://github.com/ggml-org/ggml/blob/master/docs/gguf.md.
 */
export function writeTinyGguf(path: string, options: TinyGguf = {}): void {
  const { says = '吾輩は猫である', contextTokens = 2048, name = 'tiny' } = options
  const random = generator(options.seed ?? 1)
  const tokens = vocabulary(says, options.userTokens ?? [], options.markers ?? tinyMarkers)
  const tensors = weights(tokens, options.seed === undefined ? says : undefined, random)
  const meta: [string, Value][] = [
    ['general.architecture', { kind: 'string', value: 'llama' }],
    ['general.name', { kind: 'string', value: name }],
    ['general.file_type', { kind: 'u32', value: 0 }],
    ['llama.context_length', { kind: 'u32', value: contextTokens }],
    ['llama.embedding_length', { kind: 'u32', value: shape.width }],
    ['llama.block_count', { kind: 'u32', value: 1 }],
    ['llama.feed_forward_length', { kind: 'u32', value: shape.hidden }],
    ['llama.attention.head_count', { kind: 'u32', value: shape.heads }],
    ['llama.attention.head_count_kv', { kind: 'u32', value: shape.kvHeads }],
    ['llama.attention.layer_norm_rms_epsilon', { kind: 'f32', value: 1e-6 }],
    ['llama.rope.dimension_count', { kind: 'u32', value: shape.width / shape.heads }],
    ['tokenizer.ggml.model', { kind: 'string', value: 'llama' }],
    ['tokenizer.ggml.tokens', { kind: 'list', of: 'string', values: tokens.map((token) => token.text) }],
    ['tokenizer.ggml.scores', { kind: 'list', of: 'f32', values: tokens.map((token) => token.score) }],
    ['tokenizer.ggml.token_type', { kind: 'list', of: 'i32', values: tokens.map((token) => token.type) }],
    ['tokenizer.ggml.bos_token_id', { kind: 'u32', value: 1 }],
    ['tokenizer.ggml.eos_token_id', { kind: 'u32', value: 2 }],
    ['tokenizer.ggml.unknown_token_id', { kind: 'u32', value: 0 }],
    ['tokenizer.ggml.add_bos_token', { kind: 'bool', value: true }],
    ['tokenizer.ggml.add_space_prefix', { kind: 'bool', value: false }],
    ['tokenizer.chat_template', { kind: 'string', value: chatTemplate }],
  ]
  writeFileSync(path, serialize(meta, tensors))
}

function vocabulary(says: string, userTokens: readonly string[], markers: readonly string[]): Token[] {
  const tokens: Token[] = [
    { text: '<unk>', score: 0, type: tokenType.unknown },
    { text: '<s>', score: 0, type: tokenType.control },
    { text: '</s>', score: 0, type: tokenType.control },
  ]
  for (let byte = 0; byte < 256; byte += 1) {
    const hex = byte.toString(16).toUpperCase().padStart(2, '0')
    tokens.push({ text: `<0x${hex}>`, score: 0, type: tokenType.byte })
  }
  for (const text of markers) tokens.push({ text, score: 0, type: tokenType.control })
  const pieces = new Set(['▁', ...says])
  for (let code = 0x21; code < 0x7f; code += 1) pieces.add(String.fromCharCode(code))
  for (let code = 0x3041; code <= 0x3096; code += 1) pieces.add(String.fromCharCode(code))
  for (const text of pieces) tokens.push({ text, score: -tokens.length, type: tokenType.normal })
  for (const text of userTokens) tokens.push({ text, score: 0, type: tokenType.userDefined })
  return tokens
}

function weights(tokens: Token[], says: string | undefined, random: () => number): Tensor[] {
  const { width, heads, kvHeads, hidden } = shape
  const kvWidth = (width / heads) * kvHeads
  const fill = (name: string, dims: number[], value: (index: number) => number): Tensor => ({
    name,
    shape: dims,
    data: Float32Array.from({ length: dims.reduce((product, size) => product * size, 1) }, (_, i) =>
      value(i),
    ),
  })
  const noise = () => (random() - 0.5) * 0.2
  const layer = says === undefined ? noise : () => 0
  // Vectors of random signs are nearly orthogonal: one of them is the code of each token.
  const codes = tokens.map(() => Float32Array.from({ length: width }, () => (random() < 0.5 ? -1 : 1)))
  const rows = says === undefined ? codes.map((code) => code.map(noise)) : nextRows(tokens, says, codes)
  const at = (table: Float32Array[]) => (index: number) =>
    table[Math.floor(index / width)]?.[index % width] ?? 0
  return [
    fill('token_embd.weight', [width, tokens.length], at(codes)),
    fill('output_norm.weight', [width], () => 1),
    fill('output.weight', [width, tokens.length], at(rows)),
    fill('blk.0.attn_norm.weight', [width], () => 1),
    fill('blk.0.ffn_norm.weight', [width], () => 1),
    fill('blk.0.attn_q.weight', [width, width], layer),
    fill('blk.0.attn_k.weight', [width, kvWidth], layer),
    fill('blk.0.attn_v.weight', [width, kvWidth], layer),
    fill('blk.0.attn_output.weight', [width, width], layer),
    fill('blk.0.ffn_gate.weight', [width, hidden], layer),
    fill('blk.0.ffn_up.weight', [width, hidden], layer),
    fill('blk.0.ffn_down.weight', [hidden, width], layer),
  ]
}

function nextRows(tokens: Token[], says: string, codes: Float32Array[]): Float32Array[] {
  const idOf = (text: string) => tokens.findIndex((token) => token.text === text)
  const chain = [...says].map(idOf)
  const starts = ['<0x0A>', ...tinyMarkers].map(idOf)
  const steps: [number, number][] = starts.map((start) => [start, chain[0] ?? 0])
  for (const [index, id] of chain.entries()) steps.push([id, chain[index + 1] ?? idOf('</s>')])
  const rows = codes.map((code) => new Float32Array(code.length))
  for (const [from, to] of steps) {
    const row = rows[to]
    codes[from]?.forEach((value, index) => {
      if (row !== undefined) row[index] = (row[index] ?? 0) + value / 8
    })
  }
  return rows
}

function serialize(meta: [string, Value][], tensors: Tensor[]): Buffer {
  let offset = 0
  const infos = tensors.map((tensor) => {
    const dims = tensor.shape.map(u64)
    const info = Buffer.concat([text(tensor.name), u32(dims.length), ...dims, u32(0), u64(offset)])
    offset += padded(tensor.data.byteLength)
    return info
  })
  const pairs = meta.map(([key, value]) =>
    Buffer.concat([text(key), u32(valueType[value.kind]), encode(value)]),
  )
  const head = Buffer.concat([
    Buffer.from('GGUF'),
    u32(3),
    u64(tensors.length),
    u64(meta.length),
    ...pairs,
    ...infos,
  ])
  return Buffer.concat([pad(head), ...tensors.map((tensor) => pad(Buffer.from(tensor.data.buffer)))])
}

function encode(value: Value): Buffer {
  switch (value.kind) {
    case 'list':
      return Buffer.concat([
        u32(valueType[value.of]),
        u64(value.values.length),
        ...value.values.map((item) => (typeof item === 'string' ? text(item) : number(value.of, item))),
      ])
    case 'string':
      return text(value.value)
    case 'bool':
      return Buffer.from([value.value ? 1 : 0])
    default:
      return number(value.kind, value.value)
  }
}

function number(kind: string, value: number): Buffer {
  const bytes = Buffer.alloc(4)
  if (kind === 'f32') bytes.writeFloatLE(value)
  else if (kind === 'i32') bytes.writeInt32LE(value)
  else bytes.writeUInt32LE(value)
  return bytes
}

function u32(value: number): Buffer {
  return number('u32', value)
}

function u64(value: number): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64LE(BigInt(value))
  return bytes
}

function text(value: string): Buffer {
  const bytes = Buffer.from(value)
  return Buffer.concat([u64(bytes.length), bytes])
}

function padded(length: number): number {
  return Math.ceil(length / alignment) * alignment
}

function pad(bytes: Buffer): Buffer {
  return Buffer.concat([bytes, Buffer.alloc(padded(bytes.length) - bytes.length)])
}

function generator(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
}
