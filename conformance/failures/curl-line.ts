import { isUtf8 } from 'node:buffer';
import type { Operation, Target } from '../contract/contract.ts';
import { unsafeRun } from '../contract/printable.ts';
import type { OutgoingRequest } from '../execute/exchange.ts';
import type { Piece, Redactor } from './redact.ts';

/** Names of the shell variables for the two addresses. */
const bases: Readonly<Record<Target, string>> = { api: 'BASE', auth: 'AUTH' };

export interface CurlLine {
  readonly line: string;
  /** Shell variables that the line reads, with a description of their values. */
  readonly needs: Readonly<Record<string, string>>;
}

type Secrets = Pick<Redactor, 'pieces' | 'headerVariable' | 'meaningOf'>;

/** A line for a POSIX shell that reproduces a request byte for byte. Variables replace the base address and secrets. */
export function curlLine(
  request: OutgoingRequest,
  { target, address: own }: Pick<Operation, 'target' | 'address'>,
  secrets: Secrets,
): CurlLine {
  const { method, path, headers } = request;
  // A request of these methods without content has a Content-Length of 0 (RFC 9110, 8.6).
  const body = request.body ?? (/^(POST|PUT|PATCH)$/.test(method) ? Buffer.alloc(0) : undefined);
  const base = bases[target];
  const isElsewhere = own !== undefined;
  const needs: Record<string, string> = isElsewhere ? {} : { [base]: target === 'api' ? '--base-url' : '--auth-url' };
  const quote = (text: string): string => quotePieces(secrets.pieces(text), name);
  const name = (variable: string): string => {
    needs[variable] = secrets.meaningOf(variable);
    return `"$${variable}"`;
  };
  const address = isElsewhere ? quote(`${request.base}${path}`) : `"$${base}"${path === '' ? '' : quote(path)}`;
  const parts = ['curl', '-i', '-g', '--path-as-is'];
  if (method === 'HEAD') parts.push('-I');
  else if (method !== (body === undefined ? 'GET' : 'POST')) parts.push('-X', method);
  for (const [header, value] of headers) {
    const variable = secrets.headerVariable(header, value);
    const basic = /^authorization$/i.test(header) ? decodeBasic(value) : undefined;
    if (variable !== undefined) parts.push('-H', `'${header}: '${name(variable)}`);
    else if (basic !== undefined) parts.push('-u', quote(basic));
    // curl omits a header without a value; a semicolon makes it send an empty one.
    else parts.push('-H', value === '' ? `'${header};'` : quote(`${header}: ${value}`));
  }
  if (body === undefined) return { line: [...parts, address].join(' '), needs };
  // Otherwise curl adds a type of its own.
  if (!headers.some(([header]) => header.toLowerCase() === 'content-type')) parts.push('-H', `'content-type:'`);
  const text = isUtf8(body) && !body.includes(0) ? body.toString() : undefined;
  const isPlain = text !== undefined && !unsafeRun.test(text);
  parts.push(...(isPlain ? ['--data-raw', quote(text)] : ['--data-binary', '@-']));
  const line = [...parts, address].join(' ');
  if (isPlain) return { line, needs };
  const printed = text === undefined ? `'${octal(body)}'` : printfOf(secrets.pieces(text), name);
  return { line: `printf ${printed} | ${line}`, needs };
}

/** User and password, if `-u` encodes the decoded text to the same bytes. */
function decodeBasic(value: string): string | undefined {
  const encoded = /^Basic ([A-Za-z0-9+/]+=*)$/.exec(value)?.[1];
  if (encoded === undefined) return undefined;
  const text = Buffer.from(encoded, 'base64').toString();
  return text.includes(':') && Buffer.from(text).toString('base64') === encoded ? text : undefined;
}

/** Single-quoted text, except for variables and for unsafe characters, which `printf` writes. */
function quotePieces(pieces: readonly Piece[], name: (variable: string) => string): string {
  return pieces
    .flatMap((piece) =>
      'variable' in piece
        ? name(piece.variable)
        : splitUnsafe(piece.text).map(({ text, isUnsafe }) =>
            isUnsafe ? `"$(printf '${octal(Buffer.from(text))}')"` : quoted(text),
          ),
    )
    .join('');
}

/** Arguments of `printf` for the same text: unlike `$(…)`, it keeps trailing line breaks. */
function printfOf(pieces: readonly Piece[], name: (variable: string) => string): string {
  const parts = pieces.flatMap((piece) =>
    'variable' in piece
      ? { isUnsafe: false, shown: name(piece.variable) }
      : splitUnsafe(piece.text).map(({ text, isUnsafe }) => ({
          isUnsafe,
          shown: isUnsafe ? octal(Buffer.from(text)) : quoted(text),
        })),
  );
  const format = parts.map(({ isUnsafe, shown }) => (isUnsafe ? shown : '%s')).join('');
  return [`'${format}'`, ...parts.flatMap(({ isUnsafe, shown }) => (isUnsafe ? [] : shown))].join(' ');
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

function splitUnsafe(text: string): { readonly text: string; readonly isUnsafe: boolean }[] {
  return text
    .split(unsafeRun)
    .map((part, index) => ({ text: part, isUnsafe: index % 2 === 1 }))
    .filter((part, _, all) => part.text !== '' || all.length === 1);
}

/** Bytes as octal escapes for `printf` of a POSIX shell. */
function octal(bytes: Buffer): string {
  return [...bytes].map((byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('');
}
