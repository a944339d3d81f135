/** Keys by their shape, private keys, and words of sign-in in an address or a header. */
const keyShapes = [
  /-----BEGIN [A-Z ]*PRIVATE KEY/,
  /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/,
  /\bgh[pousr]_[A-Za-z0-9]{30,}|\bgithub_pat_\w{30,}/,
  /\bglpat-[\w-]{20,}|\bnpm_[A-Za-z0-9]{36}|\bhf_[A-Za-z0-9]{30,}|\bxox[abprs]-[\w-]{10,}/,
  /\bsk-[\w-]{20,}|\b[rs]k_live_[A-Za-z0-9]{16,}|\bAIza[\w-]{35}/,
  /\beyJ[\w-]{10,}\.eyJ[\w-]{10,}\./,
  /:\/\/[^\s/:@]+:[^\s/:@]+@|:\/\/[^\s/:@]{20,}@/,
  /\bauthorization: *(?:basic|bearer|token) +[\w+/=.-]{16,}/i,
]

/** True for a text with what looks like a key in it. */
export function hasKey(text: string): boolean {
  return keyShapes.some((shape) => shape.test(text))
}
