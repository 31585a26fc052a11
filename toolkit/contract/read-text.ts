import { readFile } from 'node:fs/promises';

/** Three times the longest known contract (20 MB), so that a server that never stops sending does not fill the memory. */
const longestText = 64 * 1024 * 1024;

/** Limit for the whole answer. */
const patienceMilliseconds = 30_000;

/** Text of a contract, or the reason why it can't be read. */
export type TextReading =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'fault'; readonly message: string; readonly fix: string };

/** Whether a contract is named by its address on the web rather than by its path. */
export function isWebAddress(source: string): boolean {
  return /^https?:\/\//i.test(source);
}

/**
 * Reads a contract from a file, or from an address by http or https. A redirect is followed only within the origin of the address.
 *
 * @param limits of a fetch; tests set smaller ones
 */
export async function readText(
  source: string,
  limits = { bytes: longestText, milliseconds: patienceMilliseconds },
): Promise<TextReading> {
  if (isWebAddress(source)) return fetchText(source, limits);
  const scheme = /^[a-z][a-z0-9+.-]+(?=:\/\/)/i.exec(source)?.[0];
  if (scheme !== undefined) {
    const fix = 'Name a file by its path, or an address that begins with http:// or https://.';
    return { kind: 'fault', message: `addresses that begin with ${scheme}:// are not supported`, fix };
  }
  try {
    return { kind: 'text', text: await readFile(source, 'utf8') };
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    return { kind: 'fault', message: reasons[code ?? ''] ?? message, fix: 'Name an OpenAPI file with --contract.' };
  }
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'the file does not exist',
  EISDIR: 'it is a folder, not a file',
  EACCES: 'this user may not read it',
};

async function fetchText(
  address: string,
  { bytes, milliseconds }: { readonly bytes: number; readonly milliseconds: number },
): Promise<TextReading> {
  const usual = 'Name an address that answers with the document itself, or download it and name the file.';
  const fault = (message: string, fix = usual): TextReading => ({ kind: 'fault', message, fix });
  try {
    const signal = AbortSignal.timeout(milliseconds);
    let response = await ask(new URL(address), signal);
    for (let count = 0; redirects.has(response.status); count += 1) {
      const location = response.headers.get('location');
      if (location === null || !URL.canParse(location, response.url)) break;
      await response.body?.cancel();
      const next = new URL(location, response.url);
      if (next.origin !== new URL(address).origin)
        return fault(`it redirects to another origin, ${next.href}`, 'Name that address itself, if you trust it.');
      if (count === mostRedirects) return fault(`it redirects more than ${mostRedirects} times`);
      response = await ask(next, signal);
    }
    if (!response.ok) {
      await response.body?.cancel();
      return fault(`the server answered ${response.status} ${response.statusText}`.trim());
    }
    const chunks: Uint8Array[] = [];
    let length = 0;
    for await (const chunk of response.body ?? []) {
      length += chunk.byteLength;
      if (length > bytes) return fault(`it is longer than ${formatSize(bytes)}`);
      chunks.push(chunk);
    }
    return { kind: 'text', text: new TextDecoder().decode(Buffer.concat(chunks)) };
  } catch (cause) {
    return fault(explain(cause, milliseconds));
  }
}

/** RFC 9110, 15.4. */
const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
const mostRedirects = 5;

/** Follows no redirects: otherwise a public address could make this machine request what only it can reach, such as cloud metadata. */
function ask(address: URL, signal: AbortSignal): Promise<Response> {
  const accept = 'application/json, application/yaml, text/yaml, text/plain;q=0.9, */*;q=0.1';
  return fetch(address, { headers: { accept }, signal, redirect: 'manual' });
}

function formatSize(bytes: number): string {
  const megabytes = bytes / 1024 / 1024;
  return megabytes < 1 ? `${Math.floor(bytes / 1024)} kB` : `${Math.floor(megabytes)} MB`;
}

/** Node's message is `fetch failed`; the reason is in its cause. */
function explain(error: unknown, milliseconds: number): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === 'TimeoutError') return `the whole answer did not arrive within ${milliseconds / 1000} seconds`;
  const { cause } = error;
  const { code } = (cause ?? {}) as { readonly code?: string };
  // Ports of other protocols, by the Fetch Standard, 2.9.
  if (cause instanceof Error && cause.message === 'bad port')
    return 'its port belongs to another protocol, so no request was sent';
  if (code === 'ECONNREFUSED') return 'nothing listens there';
  if (code === 'ERR_SSL_WRONG_VERSION_NUMBER') return 'the server speaks no TLS: try http://';
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'there is no such host';
  return cause instanceof Error ? cause.message : error.message;
}
