import type { Target } from '../contract/contract.ts';
import type { OutgoingRequest } from '../execute/exchange.ts';
import type { Piece, Redactor } from './redact.ts';

/** Names of the shell variables for the two addresses. */
const bases: Readonly<Record<Target, string>> = { api: 'BASE', auth: 'AUTH' };

export interface CurlLine {
  readonly line: string;
  /** Shell variables that it reads, with what belongs into each. */
  readonly needs: Readonly<Record<string, string>>;
}

type Secrets = Pick<Redactor, 'pieces' | 'headerVariable' | 'meaningOf'>;

/** One line for a POSIX shell that sends the same request, byte for byte, once its variables are set. No secret stands in it. */
export function curlLine({ method, path, headers, body }: OutgoingRequest, target: Target, secrets: Secrets): CurlLine {
  const base = bases[target];
  const needs: Record<string, string> = { [base]: target === 'api' ? '--base-url' : '--auth-url' };
  const quote = (text: string): string => quotePieces(secrets.pieces(text), name);
  const name = (variable: string): string => {
    needs[variable] = secrets.meaningOf(variable);
    return `"$${variable}"`;
  };
  const parts = ['curl', '-i', '-g', '--path-as-is'];
  if (method === 'HEAD') parts.push('-I');
  else if (method !== (body === undefined ? 'GET' : 'POST')) parts.push('-X', method);
  for (const [header, value] of headers) {
    const variable = secrets.headerVariable(header, value);
    const basic = /^authorization$/i.test(header) ? decodeBasic(value) : undefined;
    if (variable !== undefined) parts.push('-H', `'${header}: '${name(variable)}`);
    else if (basic !== undefined) parts.push('-u', quote(basic));
    // Without a value curl would leave the header out; a semicolon asks for an empty one.
    else parts.push('-H', value === '' ? `'${header};'` : quote(`${header}: ${value}`));
  }
  if (body === undefined) return { line: [...parts, `"$${base}"${path === '' ? '' : quote(path)}`].join(' '), needs };
  // What curl would add of itself.
  if (!headers.some(([header]) => header.toLowerCase() === 'content-type')) parts.push('-H', `'content-type:'`);
  const isText = Buffer.from(body.toString()).equals(body) && !body.includes(0);
  parts.push(...(isText ? ['--data-raw', quote(body.toString())] : ['--data-binary', '@-']));
  const line = [...parts, `"$${base}"${path === '' ? '' : quote(path)}`].join(' ');
  return { line: isText ? line : `printf '${octal(body)}' | ${line}`, needs };
}

/** User and password, where the decoded text is such that `-u` encodes it to the same bytes. */
function decodeBasic(value: string): string | undefined {
  const encoded = /^Basic ([A-Za-z0-9+/]+=*)$/.exec(value)?.[1];
  if (encoded === undefined) return undefined;
  const text = Buffer.from(encoded, 'base64').toString();
  return text.includes(':') && Buffer.from(text).toString('base64') === encoded ? text : undefined;
}

/** In single quotes, but for the variables, which the shell has to fill in. */
function quotePieces(pieces: readonly Piece[], name: (variable: string) => string): string {
  return pieces
    .map((piece) => ('variable' in piece ? name(piece.variable) : `'${piece.text.replaceAll("'", `'\\''`)}'`))
    .join('');
}

/** Bytes as `printf` of a POSIX shell takes them. */
function octal(bytes: Buffer): string {
  return [...bytes].map((byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('');
}
