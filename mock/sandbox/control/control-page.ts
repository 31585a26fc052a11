import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { operations } from '@lockstep/contract/operations';

export interface ControlPage {
  readonly html: string;
  /** Value of `Content-Security-Policy`. */
  readonly policy: string;
}

/**
 * Reads the page that drives the sandbox by clicks, and puts in the names of the operations. It runs its own script and style, known by their
 * hashes, calls its own origin, and loads nothing.
 *
 * @see Content Security Policy Level 3, 8.3 (hashes); Trusted Types, 3 (`require-trusted-types-for`: text never becomes markup)
 */
export function readControlPage(): ControlPage {
  const file = readFileSync(new URL('./page.html', import.meta.url), 'utf8');
  // Names of methods of the generated code: letters and digits.
  const options = Object.keys(operations).map((operationId) => `<option>${operationId}</option>`);
  const html = file.replaceAll('<!-- operations -->', options.join(''));
  const policy = [
    "default-src 'none'",
    `script-src ${hashOf(html, 'script')}`,
    `style-src ${hashOf(html, 'style')}`,
    'img-src data:',
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
  ].join('; ');
  return { html, policy };
}

function hashOf(html: string, name: 'script' | 'style'): string {
  const [, text = ''] = new RegExp(`<${name}>([\\s\\S]*?)</${name}>`).exec(html) ?? [];
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}
