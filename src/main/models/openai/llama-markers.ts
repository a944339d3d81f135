import { z } from 'zod'
import type { OpenaiHttp } from '../client/openai-http.ts'
import { type FindMarkers, markersByPieces } from '../completion/marker-check.ts'

/** Tokens with their text; a piece that is not valid UTF-8 comes as bytes. */
const Pieces = z.object({ tokens: z.array(z.object({ id: z.int(), piece: z.unknown() })) })

/** Finds control tokens by llama.cpp's tokenizer. */
export function llamaMarkers(http: OpenaiHttp, model: string): FindMarkers {
  return markersByPieces(async (content, isSpecial, signal) => {
    const body = { model, content, add_special: false, parse_special: isSpecial, with_pieces: true }
    const { tokens } = await http.post('/tokenize', body, Pieces, signal)
    return tokens.flatMap(({ id, piece }) => (typeof piece === 'string' ? [{ id, text: piece }] : []))
  })
}
