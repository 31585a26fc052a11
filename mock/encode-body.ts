import { type ContractDocument, isObject } from '@lockstep/json/json-pointer';
import { listParts } from '@lockstep/json/schema-keywords';
import { isJsonType } from '@lockstep/runtime/validation/parse-body';
import { isXmlType } from '@lockstep/runtime/validation/xml-shape';

/** The media type that is sent for a range. */
const ofRanges: Readonly<Record<string, string>> = {
  'application/*': 'application/json',
  'text/*': 'text/plain',
  'image/*': 'image/png',
  'audio/*': 'audio/mpeg',
  'video/*': 'video/mp4',
  'font/*': 'font/woff2',
  'multipart/*': 'multipart/mixed',
};

/** A PNG of one pixel, so that clients can display it. */
const pixel = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

/** The media type to send for a declared one, which may be a range. */
export function nameConcreteType(document: ContractDocument, mediaType: string, schema: unknown): string {
  if (!mediaType.includes('*')) return mediaType;
  const range = mediaType.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  const isBinary = listParts(document, schema).some(({ format }) => format === 'binary');
  if (range === '*/*' || !Object.hasOwn(ofRanges, range))
    return isBinary ? 'application/octet-stream' : 'application/json';
  return range === 'application/*' && isBinary ? 'application/octet-stream' : (ofRanges[range] ?? mediaType);
}

/** Encodes a value for its media type: for JSON and XML it stays a value, which the runtime writes; for every other it becomes text or bytes. */
export function encodeBody(mediaType: string, value: unknown): unknown {
  const type = mediaType.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  if (isJsonType(type) || isXmlType(type)) return value;
  if (type === 'image/png' && typeof value === 'string' && !value.startsWith('\x89PNG')) return pixel;
  if (typeof value === 'string') return value;
  if (type === 'application/x-www-form-urlencoded' && isObject(value))
    return new URLSearchParams(
      Object.entries(value).map(([name, member]): [string, string] => [name, textOf(member)]),
    ).toString();
  return textOf(value);
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
