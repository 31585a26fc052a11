// Requests that differ in some of their parts from an accepted one.
import type { MediaContent, Parameter } from '../contract/contract.ts';
import type { Draft } from '../execute/exchange.ts';
import { replaceAt } from './time.ts';

/** A part of a request that can have several valid values. */
export type RequestPart =
  | { readonly kind: 'parameter'; readonly parameter: Parameter }
  /** @property at JSON pointer in the body */
  | { readonly kind: 'body'; readonly at: string }
  | { readonly kind: 'media type' };

/** Another value of a part; undefined leaves the part out. The value of a media type is a `MediaContent`. */
export interface Change {
  readonly part: RequestPart;
  readonly value: unknown;
}

/** The draft with another value of one part; unchanged if the part that would contain it is missing. */
export function applyChange(draft: Draft, { part, value }: Change): Draft {
  const { body } = draft;
  if (part.kind === 'media type')
    return body === undefined ? draft : { ...draft, body: { ...body, content: value as MediaContent } };
  if (part.kind === 'parameter') {
    const values = new Map(draft.parameters.map((one) => [one.parameter, one.value]));
    if (value === undefined) values.delete(part.parameter);
    else values.set(part.parameter, value);
    const parameters = draft.operation.parameters
      .filter((parameter) => values.has(parameter))
      .map((parameter) => ({ parameter, value: values.get(parameter) }));
    return { ...draft, parameters };
  }
  if (body === undefined) return draft;
  const changed = replaceAt(body.value, part.at, value);
  // JSON has no member without a value.
  return { ...draft, body: { ...body, value: value === undefined ? withoutGaps(changed) : changed } };
}

function withoutGaps(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value) ?? 'null');
}

export function isSamePart(a: RequestPart, b: RequestPart): boolean {
  if (a.kind === 'parameter' && b.kind === 'parameter') return a.parameter === b.parameter;
  return a.kind === 'body' && b.kind === 'body' ? a.at === b.at : a.kind === b.kind;
}

/** Whether two parts cannot have another value in the same request: one of them contains the other. */
export function overlaps(a: RequestPart, b: RequestPart): boolean {
  if (a.kind !== 'body' || b.kind !== 'body') return false;
  return a.at === b.at || a.at.startsWith(`${b.at}/`) || b.at.startsWith(`${a.at}/`);
}
