import type { Operation } from '../contract/contract.ts';
import { isObject, type JsonObject } from '../contract/json.ts';
import type { Seen } from '../contract/runtime-expression.ts';

/** An accepted exchange, as later requests draw on it. */
export interface Known {
  readonly operation: Operation;
  readonly seen: Seen;
}

/** An object that stood in an accepted answer. */
export interface ApiRecord {
  readonly value: JsonObject;
  readonly from: Operation;
  /** This run made it: it may be changed and deleted. */
  readonly owned: boolean;
}

/** Enough to find one that fits; a list of thousands tells no more than its first items. */
const mostPerAnswer = 50;

/** Every object with a plain member in the bodies of accepted answers, outer before inner. */
export function readRecords(known: readonly Known[]): ApiRecord[] {
  return known.flatMap(({ operation, seen }) => {
    const found: ApiRecord[] = [];
    const walk = (value: unknown, owned: boolean): void => {
      if (found.length >= mostPerAnswer) return;
      if (Array.isArray(value)) for (const item of value) walk(item, false);
      if (!isObject(value)) return;
      if (Object.values(value).some(isPlain)) found.push({ value, from: operation, owned });
      // `{data: {…}}` around the created object is still that object.
      const isWrapper = Object.keys(value).length === 1;
      for (const part of Object.values(value)) walk(part, owned && isWrapper);
    };
    walk(seen.responseBody, operation.method === 'post');
    const made = operation.method === 'post' ? readLocation(seen) : undefined;
    return made === undefined ? found : [...found, { value: { id: made }, from: operation, owned: true }];
  });
}

export function isPlain(value: unknown): value is string | number {
  return (typeof value === 'string' && value !== '') || typeof value === 'number';
}

/** The last segment of `Location`: the id of what was created, whatever the body calls it. */
function readLocation({ status, responseHeaders }: Seen): string | undefined {
  const location = responseHeaders?.location;
  if (status !== 201 || typeof location !== 'string') return undefined;
  const last = location.split(/[?#]/)[0]?.replace(/\/$/, '').split('/').at(-1);
  return last === undefined || last === '' ? undefined : decode(last);
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
