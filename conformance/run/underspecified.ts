import type { Contract, Operation } from '../contract/contract.ts';
import { follow, joinPointer, type Pointer, placeAt, type Seen } from '../contract/document.ts';
import { excerpt } from '../contract/printable.ts';
import { type Exchange, isAccepted } from '../execute/exchange.ts';
import { normaliseBody } from '../failures/failure.ts';
import type { Place } from '../rejections/constraints.ts';
import { bodySchemaOf, valueAt } from '../rejections/find-place.ts';
import { readRejection } from '../rejections/read-rejection.ts';
import { requestForm } from '../schema/canonical.ts';

/** A place at which the server rejects a value that the contract allows. This is no defect: schemas can't express every rule. */
export interface UnderspecifiedPlace {
  readonly pointer: Pointer;
  /** `query limit`, `body /name`; empty if the rejection names no place. */
  readonly place: string;
  readonly operations: readonly string[];
  readonly status: number;
  /** The value that was sent at this place, as JSON; undefined for none. */
  readonly sent: string | undefined;
  /** The server's text. */
  readonly message: string;
  /** Whether `format` is the only keyword about the value: the server may require more (JSON Schema 2020-12, validation, 7.2.1). */
  readonly isByFormat: boolean;
}

/** Statuses that are about the data of a request. */
const aboutData = new Set([400, 406, 413, 415, 422, 431]);

const mostCharacters = 120;

export function watchUnderspecified(contract: Contract) {
  const named = new Map<string, UnderspecifiedPlace>();
  const nameless = new Map<Operation, UnderspecifiedPlace>();
  const accepted = new Set<Operation>();
  return {
    observe: (exchange: Exchange): void => {
      const { operation, outcome, seen } = exchange;
      if (isAccepted(exchange)) accepted.add(operation);
      const rejection = readRejection(contract, exchange);
      if (outcome.kind === 'none' || rejection === undefined || !aboutData.has(rejection.status)) return;
      const { status, observations } = rejection;
      for (const { place, message } of observations) {
        if (place === undefined) continue;
        const { pointer, schema } = locate(contract, operation, place);
        const key = `${pointer} ${describePlace(place).split('/').at(-1)}`;
        const before = named.get(key);
        const operations = [...new Set([...(before?.operations ?? []), operation.id])];
        const sent = sentAt(place, seen);
        const found = { pointer, place: describePlace(place), status, sent, message: excerpt(message, mostCharacters) };
        const isByFormat = isOnlyFormat(contract, schema);
        // The longest sentence is likely the most precise.
        const isBetter =
          before === undefined || (operations.length === 1 && found.message.length > before.message.length);
        named.set(key, isBetter ? { ...found, operations, isByFormat } : { ...before, operations });
      }
      if (observations.some(({ place }) => place !== undefined)) return;
      const message = longest(rejection.sentences) || outcome.body.toString();
      nameless.set(operation, {
        ...{ pointer: operation.pointer, place: '', operations: [operation.id], status, sent: undefined },
        ...{ message: excerpt(message, mostCharacters), isByFormat: false },
      });
    },
    /** Each place that rejections of valid requests name, and operations whose rejections name none if none was ever accepted. */
    places: (): readonly UnderspecifiedPlace[] => {
      const open = [...nameless].flatMap(([operation, one]) => (accepted.has(operation) ? [] : one));
      // Rejections in the same words have the same reason.
      const bySentence = Map.groupBy(open, ({ status, message }) => `${status} ${normaliseBody(message)}`);
      const folded = [...bySentence.values()].flatMap((same) => {
        const [first] = same;
        return first === undefined ? [] : { ...first, operations: same.flatMap(({ operations }) => operations) };
      });
      return [...named.values(), ...folded];
    },
  };
}

/** Finds the schema of a place; operations that share a schema share the place. */
function locate(
  contract: Contract,
  operation: Operation,
  place: Place,
): { pointer: Pointer; schema: Pointer | undefined } {
  if (place.kind === 'parameter') return { pointer: place.parameter.pointer, schema: place.parameter.schema };
  const { schema } = place;
  const shared = schema === undefined ? undefined : follow(contract.root, placeAt(contract.root, schema));
  return { pointer: shared?.pointer ?? bodySchemaOf(operation) ?? operation.pointer, schema };
}

function describePlace(place: Place): string {
  return place.kind === 'body'
    ? `body ${joinPointer('', ...place.tokens)}`
    : `${place.parameter.in} ${place.parameter.name}`;
}

function sentAt(place: Place, { path, query, requestHeaders, requestBody }: Seen): string | undefined {
  const values = { path, query, header: requestHeaders, cookie: {} } as const;
  const value =
    place.kind === 'body'
      ? valueAt(requestBody, place.tokens)
      : (values[place.parameter.in] as Readonly<Record<string, unknown>>)[place.parameter.name];
  return value === undefined ? undefined : excerpt(JSON.stringify(value) ?? '', mostCharacters);
}

/** Whether `format` is the only keyword about a text. */
function isOnlyFormat(contract: Contract, schema: Pointer | undefined): boolean {
  if (schema === undefined) return false;
  const form = requestForm(contract);
  const { format, values, patterns, minLength, maxLength } = form.branch(form.at(schema));
  const isBound = values !== undefined || patterns.size > 0 || minLength > 0 || maxLength < Infinity;
  return format !== undefined && !isBound;
}

function longest(sentences: readonly string[]): string {
  return sentences.reduce((best, next) => (next.length > best.length ? next : best), '');
}
