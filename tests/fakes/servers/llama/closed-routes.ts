import { Refusal } from './refusal.ts'

const closed: [RegExp, string][] = [
  [/^\/(v1\/)?embeddings?$/, 'This server does not support embeddings. Start it with `--embeddings`'],
  [/^\/(v1\/)?rerank(ing)?$/, 'This server does not support reranking. Start it with `--reranking`'],
  [
    /^\/infill$/,
    'Infill is not supported by this model: prefix token is missing. suffix token is missing. middle token is missing. ',
  ],
  [/^\/v1\/audio\/transcriptions$/, 'The current model does not support audio input.'],
  [/^\/v1\/systemone$/, 'This model is not a decision model'],
  [/^\/slots\/\d+$/, 'This server does not support slots action. Start it with `--slot-save-path`'],
  [/^\/props$/, 'This server does not support changing global properties. Start it with `--props`'],
]

/** POST routes that a server without further switches has, but refuses; null for any other path. */
export function closedRoute(path: string): Refusal | null {
  const found = closed.find(([pattern]) => pattern.test(path))
  return found === undefined ? null : new Refusal(501, found[1])
}
