import { isJson } from '../contract/media-type.ts';

export type ReadText =
  | { readonly value: unknown }
  | { readonly broken: 'encoding' | 'json'; readonly clause: string; readonly says: string };

/** The value that a body carries by its media type: JSON parsed, anything else as text. */
export function readText(body: Buffer, contentType: string): ReadText {
  if (!isJson(contentType)) return { value: body.toString(charsetOf(contentType)) };
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(body);
  } catch {
    return { broken: 'encoding', clause: 'RFC 8259 8.1', says: 'the JSON text is not UTF-8' };
  }
  try {
    return { value: JSON.parse(text) };
  } catch {
    const says = text === '' ? 'the content is empty, which is no JSON text' : 'the content is not JSON';
    return { broken: 'json', clause: 'RFC 8259 2', says };
  }
}

function charsetOf(contentType: string): 'latin1' | 'utf8' {
  return /charset="?(iso-8859-1|latin1|us-ascii)/i.test(contentType) ? 'latin1' : 'utf8';
}
