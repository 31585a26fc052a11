import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { operations } from '@lockstep/contract/operations';

export interface ControlPage {
  readonly html: string;
  /** Value of `Content-Security-Policy`. */
  readonly policy: string;
}

/**
 * Reads the control page and inserts the names of the operations. Its policy allows only its own script and style, by their hashes, and calls to
 * its own origin.
 *
 * @see Content Security Policy Level 3, 8.3 (hashes); Trusted Types, 3 (`require-trusted-types-for`: text never becomes markup)
 */
export function readControlPage(): ControlPage {
  const file = readFileSync(new URL('./page.html', import.meta.url), 'utf8');
  // An operationId has only letters and digits: it is a method of the generated code.
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
