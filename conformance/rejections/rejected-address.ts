import type { Exchange } from '../execute/exchange.ts';
import type { Scalar } from '../resources/read-items.ts';
import { normal, slotsOf, stemOf } from '../resources/slots.ts';
import type { Rejection } from './read-rejection.ts';

/** What a value of a path has to look like, where a rejection says so. */
export type IdShape = 'uuid' | 'integer';

/** A rejection that is about the path. */
export interface RejectedAddress {
  /** The parameter that it is about. */
  readonly parameter: string;
  readonly shape: IdShape | undefined;
}

const shapes: readonly (readonly [IdShape, RegExp])[] = [
  ['uuid', /uuid|guid/i],
  ['integer', /\b(integer|int(32|64)?|number|numeric|digits|long)\b/i],
];

const fitting: Readonly<Record<IdShape, RegExp>> = {
  uuid: /^[0-9a-f]{8}-?([0-9a-f]{4}-?){3}[0-9a-f]{12}$/i,
  integer: /^-?\d+$/,
};

export function hasShape(shape: IdShape, value: Scalar): boolean {
  return fitting[shape].test(String(value));
}

/**
 * Reads which of the path's parameters a rejection speaks of: by the value that was sent, `Collection [7] does not exist`, or by
 * its name, `Collection ID is not a valid UUID`. Undefined where it may as well be about the rest of the request.
 */
export function readRejectedAddress(
  { operation, seen }: Pick<Exchange, 'operation' | 'seen'>,
  rejection: Rejection | undefined,
): RejectedAddress | undefined {
  const slots = slotsOf(operation.path);
  const status = seen.status ?? 0;
  if (slots.length === 0 || rejection === undefined || ![400, 404, 410, 422].includes(status)) return undefined;
  const text = textOf(rejection.body);
  const wanted = /not found|no such|(does|do)( ?not|n't) exist/i.test(text)
    ? undefined
    : shapes.find(([, words]) => words.test(text))?.[0];
  const shapeFor = (parameter: string): IdShape | undefined => {
    const value = seen.path[parameter];
    return wanted !== undefined && (typeof value === 'string' || typeof value === 'number') && !hasShape(wanted, value)
      ? wanted
      : undefined;
  };
  const body = JSON.stringify(seen.requestBody) ?? '';
  const byValue = slots.findLast(({ parameter }) => {
    const value = String(seen.path[parameter] ?? '');
    return value.length > 2 && !body.includes(value) && standsAlone(value, text);
  });
  const told = byValue ?? slots.findLast((slot) => isNamed(slot.parameter, slot.noun, text));
  if (told !== undefined) return { parameter: told.parameter, shape: shapeFor(told.parameter) };
  // Nothing else was sent that could be wrong.
  const isSure = status === 404 || status === 410 || /invalid|malformed|not (a )?valid|bad|parse|convert/i.test(text);
  const isAll = isSure && seen.requestBody === undefined && Object.keys(seen.query).length === 0 && slots.length === 1;
  const [only] = slots;
  return isAll && only !== undefined ? { parameter: only.parameter, shape: shapeFor(only.parameter) } : undefined;
}

/** "collection ID", "invalid experiment_id": the parameter's name with a word of rejection. */
function isNamed(parameter: string, noun: string, text: string): boolean {
  const stem = stemOf(parameter) || noun;
  if (stem.length < 3) return false;
  const words = text
    .slice(0, 500)
    .split(/[^\p{L}\p{N}_-]+/u)
    .map(normal);
  const joined = words.map((word, index) => `${word}${words[index + 1] ?? ''}`);
  const names = [normal(parameter), `${stem}id`, `${noun}id`].filter((name) => name.length > 3);
  return (
    names.some((name) => words.includes(name) || joined.includes(name)) &&
    /invalid|not (a )?valid|malformed|bad|must be|should be|unknown|not found|no such|exist|parse/i.test(text)
  );
}

/** Without what only repeats the address. */
function textOf(rejection: unknown): string {
  const text = typeof rejection === 'string' ? rejection : (JSON.stringify(rejection) ?? '');
  return text.slice(0, 4_000).replaceAll(/"(path|instance|url|uri|self|href)":"[^"]*"/gi, '');
}

function standsAlone(value: string, text: string): boolean {
  for (let at = text.indexOf(value); at >= 0; at = text.indexOf(value, at + 1)) {
    const around = `${text[at - 1] ?? ' '}${text[at + value.length] ?? ' '}`;
    if (!/[\w/-]/.test(around)) return true;
  }
  return false;
}
