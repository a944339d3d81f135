/** Keys with a known shape, private keys, and credentials in an address or a header. */
const keyShapes = [
  /-----? ?BEGIN [A-Z0-9 ]*PRIVATE KEY|\bPuTTY-User-Key-File|\bAGE-SECRET-KEY-1/,
  /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/,
  /\bgh[pousr]_[A-Za-z0-9]{30,}|\bgithub_pat_\w{30,}/,
  /\bglpat-[\w-]{20,}|\bnpm_[A-Za-z0-9]{36}|\bhf_[A-Za-z0-9]{30,}|\bxox[abprs]-[\w-]{10,}/,
  /\bsk-[\w-]{20,}|\b[rs]k_live_[A-Za-z0-9]{16,}|\bAIza[\w-]{35}/,
  /(?<=\beyJ[\w-]{10,})\.eyJ[\w-]{10,}\./,
  /:\/\/[^\s/:@]+:[^\s/:@]+@|:\/\/[^\s/:@]{20,}@/,
  /\bauthorization: *(?:basic|bearer|token) +[\w+/=.-]{16,}/i,
]

/** A name that says that a key follows, and the value that it is given. */
const named =
  /(?:secret|token|passw(?:or)?d|passphrase|pwd|credential|(?:api|access|account|private|auth|signing)[_.-]?key)[\w.-]{0,40}["'\])]{0,2}\s*(?:[:=]|=>|:=)\s*["'`]?([\w+/=.~-]{16,400})(?=["'`\s,;)]|$)/gi
/** A prefix that tells the issuer of a key, and the text after it: `gsk_…`, `lin_api_…`, `ya29.…`. */
const prefixed =
  /(?<![\w./]|[\w/][+-])([A-Za-z][A-Za-z0-9]{1,11})[_.-](?:[A-Za-z0-9]{1,8}[_.-]){0,3}([A-Za-z0-9_-]{20,400})/g
/** Prefixes of hashes and versions, which are not keys. */
const hashNames = /^(?:sha\d*|md\d|h\d|blake\w*|crc\d*|index|commit|rev|git)$/i

/** True for a text that contains something in the form of a key. */
export function hasKey(text: string): boolean {
  if (keyShapes.some((shape) => shape.test(text))) return true
  for (const [, value = ''] of text.matchAll(named)) if (isRandom(value, 16)) return true
  for (const [, name = '', value = ''] of text.matchAll(prefixed)) {
    if (!hashNames.test(name) && isRandom(value, 20)) return true
  }
  return false
}

const keyBegins = /-----? ?BEGIN [A-Z0-9 ]*PRIVATE KEY/
const keyEnds = /-----? ?END [A-Z0-9 ]*PRIVATE KEY/
/** A line of a private key in text form: its code, an empty line, or a header (`Proc-Type: …`). */
const isOfKeyBlock = /[A-Za-z0-9+/=]{40,}\s*$|^\W*[A-Za-z0-9+/=]*\s*$|^\W*[A-Za-z]+-[A-Za-z]+: /

/** Returns the text without the lines in which a key is found. Shape: `leftOut` is their number. */
export function withoutKeys(text: string): { text: string; leftOut: number } {
  const lines = text.split('\n')
  let isInBlock = false
  const kept = lines.filter((line) => {
    if (keyBegins.test(line)) isInBlock = !keyEnds.test(line)
    else if (isInBlock) {
      const isEnd = keyEnds.test(line)
      const isPart = isEnd || isOfKeyBlock.test(line)
      isInBlock = isPart && !isEnd
      if (isPart) return false
    }
    return !hasKey(line)
  })
  return { text: kept.join('\n'), leftOut: lines.length - kept.length }
}

/**
 * True for random letters and digits, unlike in words, names of functions and paths: they change often between small
 * letters, capitals and digits.
 */
function isRandom(text: string, least: number): boolean {
  const plain = text.replace(/[^A-Za-z0-9]/g, '')
  if (plain.length < least) return false
  let changes = 0
  for (let at = 1; at < plain.length; at += 1) {
    if (kindOf(plain.charCodeAt(at)) !== kindOf(plain.charCodeAt(at - 1))) changes += 1
  }
  const digits = plain.replace(/\D/g, '').length
  return digits >= plain.length * 0.08 && digits < plain.length * 0.9 && changes / plain.length > 0.33
}

function kindOf(code: number): 'digit' | 'capital' | 'small' {
  return code < 0x3a ? 'digit' : code < 0x5b ? 'capital' : 'small'
}
