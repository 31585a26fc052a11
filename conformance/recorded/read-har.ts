// Reads an HTTP Archive (HAR 1.2), of this runner, a browser or a proxy.
import { arrayAt, isObject, type JsonObject, memberOf, objectAt, textAt } from '../contract/document.ts';
import type { Answer } from '../execute/exchange.ts';

type Headers = readonly (readonly [name: string, value: string])[];

/** An exchange as the file has it. */
export interface Recorded {
  /** 1-based position in the file. */
  readonly number: number;
  readonly method: string;
  /** Without a fragment. */
  readonly url: string;
  readonly headers: Headers;
  /** Undefined without content; `lost` if the file does not contain it. */
  readonly body: Buffer | 'lost' | undefined;
  /** The answer, or why there is none to judge. */
  readonly answer: Answer | string;
  /** Milliseconds since 1970; NaN if the file has no time. */
  readonly startedAt: number;
}

/** A file that is no archive. */
export class HarError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'HarError';
  }
}

/** Faults of entries that one message names. */
const mostNamed = 5;

/** @throws HarError that names the file, the member, the expected value and the found one */
export function readHar(file: string, text: string): readonly Recorded[] {
  let root: unknown;
  try {
    // Readers have to accept a byte order mark (HAR 1.2).
    root = JSON.parse(text.replace(/^\ufeff/, ''));
  } catch (error) {
    throw new HarError(`${file} is not JSON: ${error instanceof Error ? error.message : error}.`);
  }
  const entries = memberOf(objectAt(root, 'log'), 'entries');
  if (!Array.isArray(entries))
    throw new HarError(
      `${file}: log/entries must be a list. Give an HTTP Archive (HAR 1.2), as --report har writes it.`,
    );
  const faults: string[] = [];
  const found = entries.flatMap((entry, index): Recorded[] => {
    const fault = faultOf(entry);
    if (fault === undefined) return [readEntry(entry, index)];
    faults.push(`log/entries/${index}/${fault}`);
    return [];
  });
  if (faults.length > 0) {
    const more = faults.length > mostNamed ? `, and ${faults.length - mostNamed} more` : '';
    throw new HarError(`${file} is no HTTP Archive (HAR 1.2): ${faults.slice(0, mostNamed).join('; ')}${more}.`);
  }
  return found;
}

/** The first member of an entry that has no meaning. */
function faultOf(entry: unknown): string | undefined {
  const [request, response] = [objectAt(entry, 'request'), objectAt(entry, 'response')];
  const show = (value: unknown): string => (value === undefined ? 'missing' : JSON.stringify(value).slice(0, 80));
  if (!/^[A-Za-z]+$/.test(textAt(request, 'method') ?? ''))
    return `request/method must be a method, but is ${show(request.method)}`;
  if (!URL.canParse(textAt(request, 'url') ?? ''))
    return `request/url must be an absolute address, but is ${show(request.url)}`;
  if (typeof response.status !== 'number') return `response/status must be a number, but is ${show(response.status)}`;
  return undefined;
}

function readEntry(entry: unknown, index: number): Recorded {
  const [request, response] = [objectAt(entry, 'request'), objectAt(entry, 'response')];
  return {
    number: index + 1,
    method: String(request.method).toUpperCase(),
    url: String(request.url).replace(/#.*$/s, ''),
    headers: headersOf(request),
    body: bodyOf(request),
    answer: answerOf(response, request, Number(memberOf(entry, 'time') ?? 0)),
    startedAt: Date.parse(textAt(entry as JsonObject, 'startedDateTime') ?? ''),
  };
}

/** HTTP/2 has pseudo-headers, and some recorders join repeated fields by line breaks. */
function headersOf(message: JsonObject): Headers {
  return arrayAt(message, 'headers').flatMap((header) => {
    const [name, value] = [textAt(header as JsonObject, 'name') ?? '', textAt(header as JsonObject, 'value') ?? ''];
    if (name === '' || name.startsWith(':')) return [];
    return value.split('\n').map((line): Headers[number] => [name.toLowerCase(), line]);
  });
}

function bodyOf(request: JsonObject): Recorded['body'] {
  const { postData, bodySize } = request;
  if (!isObject(postData)) return Number(bodySize) > 0 ? 'lost' : undefined;
  const text = textAt(postData, 'text');
  if (text !== undefined && (text !== '' || Number(bodySize) <= 0)) return decode(text, postData);
  const isForm = /^application\/x-www-form-urlencoded/i.test(textAt(postData, 'mimeType') ?? '');
  const fields = arrayAt(postData, 'params').map((one): [string, string] => [
    textAt(one as JsonObject, 'name') ?? '',
    textAt(one as JsonObject, 'value') ?? '',
  ]);
  return isForm && fields.length > 0 ? Buffer.from(new URLSearchParams(fields).toString()) : 'lost';
}

/** The format has an encoding for answers only; recorders add one to requests. */
function decode(text: string, holder: JsonObject): Buffer {
  const encoding = textAt(holder, 'encoding') ?? textAt(holder, '_encoding');
  return Buffer.from(text, encoding === 'base64' ? 'base64' : 'utf8');
}

/** Values that a recorder or a tool has put in place of others. */
const hidden = /\*{3}|\bredacted\b/i;

/** Whether a text has a hidden value. */
export function isHidden(text: string): boolean {
  return hidden.test(text);
}

const withoutContent = new Set([204, 205, 304]);

function answerOf(response: JsonObject, request: JsonObject, durationMs: number): Recorded['answer'] {
  const status = Number(response.status);
  if (status === 0) return `no answer is recorded${typeof response._error === 'string' ? '' : ': it may be cancelled'}`;
  if (status === 101) return 'the connection became another protocol';
  const headers = headersOf(response);
  const isConditional = headersOf(request).some(([name]) => name.startsWith('if-'));
  if (status === 304 && !isConditional) return 'the cache of the browser answered';
  const names = headers.filter(([, value]) => isHidden(value)).map(([name]) => name);
  const content = contentOf(response, request, status);
  const base = { kind: 'answer', status, headers, durationMs, ...(names.length > 0 && { hidden: names }) } as const;
  if (typeof content !== 'string') return { ...base, body: content };
  return { ...base, body: Buffer.alloc(0), isCut: true, undecoded: { isFault: false, message: content } };
}

/** The content, or why it cannot be judged. */
function contentOf(response: JsonObject, { method }: JsonObject, status: number): Buffer | string {
  const content = objectAt(response, 'content');
  const text = textAt(content, 'text');
  const size = Number(content.size ?? 0);
  if (text === undefined || (text === '' && size > 0)) {
    const isEmpty = size === 0 || withoutContent.has(status) || String(method).toUpperCase() === 'HEAD';
    return isEmpty ? Buffer.alloc(0) : 'the recording has no content of this answer';
  }
  const body = decode(text, content);
  if (isHidden(body.toString('latin1'))) return 'a value of the content is hidden in the recording';
  return size > body.length ? 'the recording has only a part of the content' : body;
}
