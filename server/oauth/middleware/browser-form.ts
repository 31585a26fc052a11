import { readBytes } from '@lockstep/runtime/read-bytes';
import { parseUrlEncoded } from '@lockstep/runtime/validation/parse-url-encoded';
import { parse as parseContentType } from 'content-type';
import type { Middleware } from './middleware.ts';

/** More than the longest valid e-mail and password need. */
const limitBytes = 4096;

export type BrowserForm =
  | { readonly kind: 'form'; readonly fields: ReadonlyMap<string, string> }
  /** A page of another site sent it. */
  | { readonly kind: 'cross-site'; readonly says?: undefined }
  /** None of these pages can have sent it. */
  | { readonly kind: 'invalid-request'; readonly says: string };

/**
 * Reads a form that one of these pages has posted.
 *
 * A form on another site must have no effect. It comes without cookies, which are `SameSite=Lax`, and with `Sec-Fetch-Site`, which no page
 * can set. `Origin` is of no use: pages without a referrer send `null` (Fetch, 3.2). Programs send neither header.
 *
 * @throws RequestAborted when the request is aborted before its body is complete
 */
export async function readBrowserForm({ req }: Parameters<Middleware>[0]): Promise<BrowserForm> {
  const site = req.headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return { kind: 'cross-site' };
  if (!isForm(req.headers['content-type'])) return unreadable('Content-Type must be application/x-www-form-urlencoded');
  const bytes = await readBytes(req, limitBytes);
  if (bytes === undefined) return unreadable(`the form is larger than ${limitBytes} bytes`);
  const text = bytes.toString('latin1');
  const pairs = parseUrlEncoded(text);
  const fields = new Map(pairs.map(({ name, value }) => [name, value]));
  const isEncoded = /^[\x21-\x7e]*$/.test(text) && pairs.every(({ broken }) => !broken);
  if (!isEncoded) return unreadable('the form is not form-encoded UTF-8');
  if (fields.size < pairs.length) return unreadable('a field is sent more than once');
  return { kind: 'form', fields };
}

function isForm(contentType: string | undefined): boolean {
  try {
    return parseContentType(contentType ?? '').type === 'application/x-www-form-urlencoded';
  } catch {
    return false;
  }
}

function unreadable(says: string): BrowserForm {
  return { kind: 'invalid-request', says };
}
