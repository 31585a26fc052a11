import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { escapeHtml } from '@lockstep/runtime/start-page';
import type { Own } from '../serve-control.ts';

export interface PageOptions {
  /** The page, with places for shared parts: `/* shared style *\/`, `<!-- clock: note -->`. */
  readonly file: URL;
  /** Names for the lists of operations. */
  readonly operationIds: readonly string[];
  /** Title of the mocked contract. */
  readonly title: string;
}

/**
 * Reads a page of a control, and inserts shared parts and the names of the operations. Its policy allows only its own script and style, by their hashes,
 * and calls to its own origin.
 *
 * @see Content Security Policy Level 3, 8.3 (hashes); Trusted Types, 3 (`require-trusted-types-for`: text never becomes markup)
 */
export function readPage({ file, operationIds, title }: PageOptions): Own {
  const shared = readFileSync(new URL('./shared.html', import.meta.url), 'utf8');
  const parts = readFileSync(new URL('./parts.html', import.meta.url), 'utf8');
  const options = operationIds.map((operationId) => `<option>${escapeHtml(operationId)}</option>`).join('');
  // Functions, since a text may contain the patterns of `replace`, such as `$&`.
  const html = readFileSync(file, 'utf8')
    .replace('/* shared style */', () => readElement(shared, 'style').trim())
    .replace('/* shared script */', () => readElement(shared, 'script').trim())
    .replace('/* parts style */', () => readElement(parts, 'style').trim())
    .replace('/* parts script */', () => readElement(parts, 'script').trim())
    .replaceAll(/<!-- (clock|worlds|faults|journal)(?:: (.*))? -->/g, (_, name: string, note = '') =>
      readElement(parts, 'template', ` id="${name}"`).trim().replace('<!-- note -->', note),
    )
    .replaceAll('<!-- operations -->', () => options)
    .replace('<!-- title -->', () => escapeHtml(title));
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
  return {
    headers: { 'Content-Type': 'text/html; charset=utf-8', 'Content-Security-Policy': policy },
    content: html,
  };
}

function hashOf(html: string, name: 'script' | 'style'): string {
  return `'sha256-${createHash('sha256').update(readElement(html, name)).digest('base64')}'`;
}

function readElement(html: string, name: 'script' | 'style' | 'template', attributes = ''): string {
  const [, text = ''] = new RegExp(`<${name}${attributes}>([\\s\\S]*?)</${name}>`).exec(html) ?? [];
  return text;
}
