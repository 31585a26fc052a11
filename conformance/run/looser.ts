import type { Contract, Operation } from '../contract/contract.ts';
import {
  follow,
  isObject,
  joinPointer,
  type Pointer,
  placeAt,
  readPointer,
  type Seen,
  splitPointer,
} from '../contract/document.ts';
import { flattenSchema } from '../data/flatten-schema.ts';
import { type Exchange, isAccepted } from '../execute/exchange.ts';
import { normaliseBody } from '../failures/failure.ts';
import { alongSchema, bodySchemaOf } from '../rejections/find-place.ts';
import { readRejection } from '../rejections/read-rejection.ts';

/** A place at which the server refuses what the contract allows. It is no defect: many a rule stands in no schema. */
export interface LooserPlace {
  readonly pointer: Pointer;
  /** `query limit`, `body /name`; empty where nothing says which place it is. */
  readonly place: string;
  readonly operations: readonly string[];
  readonly status: number;
  /** What was sent at this place, as JSON; undefined for nothing. */
  readonly sent: string | undefined;
  /** What the server said of it. */
  readonly says: string;
  /** Nothing but a `format` says what is valid there: the server may well ask for more (JSON Schema 2020-12, validation, 7.2.1). */
  readonly isByFormat: boolean;
}

export interface Looser {
  readonly observe: (exchange: Exchange) => void;
  /**
   * Each place once: where nothing valid was ever accepted, and where an accepted and a refused request differ in it alone.
   */
  readonly places: () => readonly LooserPlace[];
}

/** Statuses that are about the data of a request. */
const aboutData = new Set([400, 406, 413, 415, 422, 431]);

const most = { refusals: 6, leaves: 200, text: 120 } as const;

type Leaves = ReadonlyMap<string, string>;

interface Refusal {
  readonly status: number;
  readonly leaves: Leaves;
  /** Those that it names, with what it says of each. */
  readonly places: ReadonlyMap<string, string>;
  readonly says: string;
}

interface Known {
  accepted: Leaves[];
  readonly refused: Refusal[];
}

export function watchRefusals(contract: Contract): Looser {
  const known = new Map<Operation, Known>();
  return {
    observe: (exchange) => {
      const { operation, outcome, seen } = exchange;
      if (outcome.kind === 'none') return;
      const own = known.get(operation) ?? { accepted: [], refused: [] };
      known.set(operation, own);
      if (isAccepted(exchange)) own.accepted = [...own.accepted, leavesOf(seen)].slice(-most.refusals);
      else if (aboutData.has(outcome.status) && own.refused.length < most.refusals) {
        const complaints = readRejection(contract, exchange)?.observations ?? [];
        const places = new Map<string, string>();
        for (const complaint of complaints) {
          const found = complaint.place;
          if (found === undefined) continue;
          const place =
            found.kind === 'body'
              ? `body ${joinPointer('', ...found.tokens)}`
              : `${found.parameter.in} ${found.parameter.name}`;
          // The longest sentence says most.
          if (complaint.says.length > (places.get(place)?.length ?? 0)) places.set(place, shorten(complaint.says));
        }
        const words = complaints.map((complaint) => complaint.says);
        const says = words.reduce((longest, next) => (next.length > longest.length ? next : longest), '');
        own.refused.push({
          status: outcome.status,
          leaves: leavesOf(seen),
          places,
          says: shorten(says || outcome.body.toString()),
        });
      }
    },
    places: () => {
      const found = new Map<string, LooserPlace>();
      for (const [operation, own] of known) {
        for (const { refusal, place } of own.accepted.length > 0 ? differing(own) : refusedAlways(own)) {
          const next = describe(contract, operation, refusal, place);
          // Without a place, what is refused in the same words is refused for the same.
          const key =
            place === undefined
              ? `${next.status} ${normaliseBody(next.says)}`
              : `${next.pointer} ${place.split('/').at(-1)}`;
          const before = found.get(key);
          const operations = [...new Set([...(before?.operations ?? []), operation.id])];
          found.set(key, { ...(before ?? next), operations });
        }
      }
      return [...found.values()];
    },
  };
}

interface Told {
  readonly refusal: Refusal;
  /** Undefined: the request as a whole. */
  readonly place: string | undefined;
}

/** One place alone tells the refused from an accepted one. */
function differing({ accepted, refused }: Known): readonly Told[] {
  return refused.flatMap((refusal) => {
    for (const leaves of accepted) {
      const names = [...new Set([...leaves.keys(), ...refusal.leaves.keys()])];
      const different = names.filter((name) => leaves.get(name) !== refusal.leaves.get(name));
      if (different.length === 1) return [{ refusal, place: different[0] }];
    }
    return [];
  });
}

function refusedAlways({ refused }: Known): readonly Told[] {
  const named = refused.flatMap((refusal) => [...refusal.places.keys()].map((place) => ({ refusal, place })));
  if (named.length > 0) return named;
  return refused.slice(-1).map((refusal) => ({ refusal, place: undefined }));
}

function describe(contract: Contract, operation: Operation, refusal: Refusal, place: string | undefined): LooserPlace {
  const { status, leaves } = refusal;
  const says = refusal.places.get(place ?? '') ?? refusal.says;
  const base = { place: place ?? '', operations: [operation.id], status, says };
  const [where = '', name = ''] = splitOnce(place ?? '');
  if (place !== undefined && where !== 'body') {
    const parameter = operation.parameters.find(
      (one) => one.in === where && (one.name === name || one.name.toLowerCase() === name),
    );
    const pointer = parameter?.pointer ?? operation.pointer;
    return {
      ...base,
      pointer,
      sent: leaves.get(place),
      isByFormat: isByFormat(contract, parameter?.schema),
    };
  }
  const body = bodySchemaOf(operation);
  const tokens = place === undefined ? [] : splitPointer(name);
  const found =
    body === undefined || tokens.length === 0 ? undefined : alongSchema(contract, placeAt(contract.root, body), tokens);
  // A schema that several operations share is one place; what the contract does not know has none.
  const shared = found === undefined ? undefined : follow(contract.root, placeAt(contract.root, found.schema));
  const pointer = shared?.pointer ?? body ?? operation.pointer;
  const sent = place === undefined ? undefined : leaves.get(place);
  return { ...base, pointer, sent, isByFormat: isByFormat(contract, found?.schema) };
}

/** Keywords that say more about a text than its `format`. */
const aboutText = ['enum', 'const', 'pattern', 'minLength', 'maxLength'];

function isByFormat({ root }: Contract, schema: Pointer | undefined): boolean {
  if (schema === undefined || !isObject(readPointer(root, schema))) return false;
  const { keywords } = flattenSchema(root, placeAt(root, schema), 0);
  return typeof keywords.format === 'string' && !aboutText.some((keyword) => keyword in keywords);
}

/** What a request says, by its places. */
function leavesOf({ path, query, requestHeaders, requestBody }: Seen): Leaves {
  const found = new Map<string, string>();
  const tell = (place: string, value: unknown): void => {
    if (found.size < most.leaves && value !== undefined) found.set(place, shorten(JSON.stringify(value) ?? ''));
  };
  for (const [where, values] of [
    ['path', path],
    ['query', query],
    ['header', requestHeaders],
  ] as const) {
    for (const [name, value] of Object.entries(values)) tell(`${where} ${name}`, value);
  }
  const walk = (value: unknown, at: string): void => {
    if (!isObject(value) || Object.keys(value).length === 0) tell(`body ${at}`, value);
    else for (const [name, part] of Object.entries(value)) walk(part, joinPointer(at, name));
  };
  walk(requestBody, '');
  return found;
}

function splitOnce(text: string): readonly [string, string] {
  const at = text.indexOf(' ');
  return [text.slice(0, at), text.slice(at + 1)];
}

function shorten(text: string): string {
  const plain = text.replaceAll(/\s+/g, ' ').trim();
  return plain.length <= most.text ? plain : `${plain.slice(0, most.text)}…`;
}
