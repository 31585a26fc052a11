import type { MediaContent } from '../contract/contract.ts';
import { isObject, memberOf } from '../contract/json.ts';
import { essenceOf, isJson } from '../contract/media-type.ts';

export interface EncodedBody {
  readonly contentType: string;
  readonly bytes: Buffer;
}

/** A boundary that no value of ours contains; fixed, so that a request has the same bytes every time. */
const boundary = 'lockstep-7d1f0c5e';

/** Media types that can be written, the first fitting one wins. */
const encoders: readonly {
  takes: (type: string) => boolean;
  encode: (value: unknown, content: MediaContent) => string;
}[] = [
  { takes: isJson, encode: (value) => JSON.stringify(value) },
  { takes: (type) => type === 'application/x-www-form-urlencoded', encode: encodeForm },
  { takes: (type) => type === 'multipart/form-data', encode: encodeMultipart },
  {
    takes: (type) => type.startsWith('text/') || type === 'application/octet-stream',
    encode: (value) => (typeof value === 'string' ? value : JSON.stringify(value)),
  },
];

export function canEncode(content: MediaContent): boolean {
  return encoders.some(({ takes }) => takes(typeOf(content)));
}

/** @returns undefined for a media type that cannot be written, such as XML */
export function encodeBody(content: MediaContent, value: unknown): EncodedBody | undefined {
  const type = typeOf(content);
  const encoder = encoders.find(({ takes }) => takes(type));
  if (encoder === undefined) return undefined;
  const contentType = type === 'multipart/form-data' ? `${type}; boundary=${boundary}` : type;
  return { contentType, bytes: Buffer.from(encoder.encode(value, content)) };
}

function typeOf({ mediaType }: MediaContent): string {
  const essence = essenceOf(mediaType) ?? mediaType;
  return essence === '*/*' || essence === 'application/*'
    ? 'application/json'
    : essence === 'text/*'
      ? 'text/plain'
      : essence;
}

function encodeForm(value: unknown, content: MediaContent): string {
  return Object.entries(isObject(value) ? value : {})
    .flatMap(([name, part]) => {
      const texts = [part].flat().map((item) => encodeText(textOf(item)));
      const explode = memberOf(content.encoding[name], 'explode') !== false;
      // The comma between two items stands for itself, one in an item does not (RFC 6570, 3.2.8).
      return (explode ? texts : [texts.join(',')]).map((text) => `${encodeText(name)}=${text}`);
    })
    .join('&');
}

/** One text of a form (WHATWG URL, 5.2). */
function encodeText(text: string): string {
  return new URLSearchParams([['', text]]).toString().slice(1);
}

function encodeMultipart(value: unknown, content: MediaContent): string {
  const parts = Object.entries(isObject(value) ? value : {}).flatMap(([name, part]) =>
    [part].flat().map((item) => {
      const declared = memberOf(content.encoding[name], 'contentType');
      const type =
        typeof declared === 'string' ? declared.split(',')[0] : isObject(item) ? 'application/json' : undefined;
      const file = type !== undefined && type !== 'application/json' ? `; filename="${name}"` : '';
      const header = `Content-Disposition: form-data; name="${name}"${file}${type === undefined ? '' : `\r\nContent-Type: ${type}`}`;
      return `--${boundary}\r\n${header}\r\n\r\n${textOf(item)}\r\n`;
    }),
  );
  return `${parts.join('')}--${boundary}--\r\n`;
}

function textOf(value: unknown): string {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value);
}
