import { createHash } from 'node:crypto';

const inlineScript = /<script\b[^>]*>([\s\S]*?)<\/script>/gi;

/**
 * The Content Security Policy of one finished page. It allows the page's inline scripts by hash, and no other sources.
 *
 * Styles are inline because Redoc writes them at run time; workers come from `blob:`, for the search. The policy forbids
 * forms and requests.
 *
 * @returns the value of the header or of the `http-equiv` element
 * @see Content Security Policy Level 3, 8.3 (hashes) and 6.1.9 (`script-src`)
 */
export function contentPolicy(html: string): string {
  const hashes = Array.from(html.matchAll(inlineScript), ([, script = '']) => {
    return `'sha256-${createHash('sha256').update(script).digest('base64')}'`;
  });
  return [
    "default-src 'none'",
    `script-src ${[...new Set(hashes)].join(' ')}`,
    "style-src 'unsafe-inline'",
    'img-src data:',
    'font-src data:',
    'worker-src blob:',
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
}
