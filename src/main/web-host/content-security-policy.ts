/** Returns the headers of every answer. They let only the window's page run scripts, and only those of this host. */
export function securityHeaders(nonce?: string): Record<string, string> {
  const withNonce = nonce === undefined ? '' : ` 'nonce-${nonce}'`
  return {
    'Content-Security-Policy': [
      "default-src 'none'",
      `script-src 'self'${withNonce}`,
      `style-src 'self'${withNonce}`,
      "font-src 'self'",
      "img-src 'self' data: blob:",
      "connect-src 'self'",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ].join('; '),
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Cross-Origin-Resource-Policy': 'same-origin',
    'Permissions-Policy': 'camera=(), geolocation=(), microphone=()',
    'Referrer-Policy': 'no-referrer',
    'X-Content-Type-Options': 'nosniff',
  }
}
