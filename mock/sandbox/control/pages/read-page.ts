import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { operations } from '@lockstep/contract/operations';

export interface ControlPage {
  readonly html: string;
  /** Value of `Content-Security-Policy`. */
  readonly policy: string;
}

const files = {
  control: new URL('./control.html', import.meta.url),
  keypad: new URL('./keypad.html', import.meta.url),
} as const;

/**
 * Reads a page of the control, and inserts the style and script that the pages share and the names of the operations. Its policy allows only its own
 * script and style, by their hashes, and calls to its own origin.
 *
 * @see Content Security Policy Level 3, 8.3 (hashes); Trusted Types, 3 (`require-trusted-types-for`: text never becomes markup)
 */
export function readPage(name: keyof typeof files): ControlPage {
  const shared = readFileSync(new URL('./shared.html', import.meta.url), 'utf8');
  // An operationId has only letters and digits: it is a method of the generated code.
  const options = Object.keys(operations).map((operationId) => `<option>${operationId}</option>`);
  const html = readFileSync(files[name], 'utf8')
    .replaceAll('<!-- operations -->', options.join(''))
    .replace('/* shared style */', () => readElement(shared, 'style').trim())
    .replace('/* shared script */', () => readElement(shared, 'script').trim());
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
  return `'sha256-${createHash('sha256').update(readElement(html, name)).digest('base64')}'`;
}

function readElement(html: string, name: 'script' | 'style'): string {
  const [, text = ''] = new RegExp(`<${name}>([\\s\\S]*?)</${name}>`).exec(html) ?? [];
  return text;
}
