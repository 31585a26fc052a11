import { followRef, isObject, type JsonObject } from '@lockstep/json/json-pointer';
import type { Operation, Parameter } from '../operation.ts';
import type { SchemaTools, Validate } from './compile-schema.ts';
import { type Description, describeFault } from './describe-fault.ts';
import type { PlaceFault, ReadPlace } from './detail.ts';
import type { Pair } from './parse-url-encoded.ts';
import {
  createParameterReader,
  describeValue,
  ownsName,
  type ReadParameter,
  type SpreadMembers,
  spreadMembers,
} from './read-parameters.ts';
import { cut, describeUnknown } from './sentence.ts';

type Place = Parameter['in'];

/** Values that were sent, and defaults. Names come from the contract, so none can be `__proto__`. */
type ReadParameters = ReadPlace<JsonObject>;

interface Checked {
  readonly parameter: Parameter;
  /** Name of the value; that of a header in lower case. */
  readonly key: string;
  readonly read: ReadParameter;
  /** For an object whose members are sent as parameters of their own. */
  readonly members: SpreadMembers | undefined;
  readonly validate: Validate;
  /** Empty, or only the default. */
  readonly defaults: readonly unknown[];
}

const nothing: ReadParameters = { kind: 'values', values: {} };

/** Headers that are never parameters in OpenAPI: the contract describes them elsewhere (3.1, Parameter Object). */
const ignoredHeaders = new Set(['accept', 'authorization', 'content-type']);

/** A client without a preference may send `*` (RFC 9110, 12.5.2 to 12.5.4): the `fetch` of Node does in every request. */
const preferences = new Set(['accept-charset', 'accept-encoding', 'accept-language']);

/** Parses and validates the parameters of one location. A query is closed: an undeclared name is a fault. */
export function createParameterCheck(
  { document, compile }: SchemaTools,
  operation: Operation,
  place: Place,
): (pairs: readonly Pair[]) => ReadParameters {
  const declared = operation.parameters.filter(
    ({ in: at, name }) => at === place && !(at === 'header' && ignoredHeaders.has(name.toLowerCase())),
  );
  const checked = declared.map((parameter): Checked => {
    const { pointer, schema } = describeValue(document, parameter);
    const { default: value } = followRef(document, schema);
    const others = new Set(declared.flatMap((other) => (other === parameter ? [] : other.name)));
    return {
      parameter,
      key: place === 'header' ? parameter.name.toLowerCase() : parameter.name,
      read: createParameterReader(document, parameter, others),
      members: spreadMembers(document, parameter),
      validate: pointer === undefined ? () => undefined : compile({ $ref: pointer }),
      defaults: value === undefined ? [] : [value],
    };
  });
  return (pairs) => {
    if (checked.length === 0 && (place !== 'query' || pairs.length === 0)) return nothing;
    const unknown = place === 'query' ? findUnknown(checked, pairs) : undefined;
    if (unknown !== undefined) return { kind: 'fault', fault: unknown };
    const values: Record<string, unknown> = {};
    for (const one of checked) {
      const found = readOne(one, pairs);
      if (found.kind === 'fault') return found;
      for (const value of found.values) values[one.key] = value;
    }
    return { kind: 'values', values };
  };

  /** An empty list if there is no value; else one value. */
  function readOne(
    { parameter, key, read, validate, defaults }: Checked,
    pairs: readonly Pair[],
  ): ReadPlace<readonly unknown[]> {
    const reading = read(pairs);
    if (reading.kind === 'fault') return faultAt(parameter, { says: reading.says, nearest: [] });
    if (reading.kind === 'empty') return { kind: 'values', values: [''] };
    if (reading.kind === 'absent')
      return parameter.required
        ? faultAt(parameter, { says: `${parameter.name} is required`, nearest: [] })
        : { kind: 'values', values: defaults };
    const errors = validate(reading.value);
    if (errors === undefined) return { kind: 'values', values: [reading.value] };
    // A handler expects a value of each required parameter.
    const isOptional = !parameter.required || defaults.length > 0;
    if (place === 'header' && reading.value === '*' && preferences.has(key) && isOptional)
      return { kind: 'values', values: defaults };
    const described = describeCursor(operation, parameter, reading.value) ?? describeFault(errors, parameter.name);
    return faultAt(parameter, described);
  }
}

function findUnknown(declared: readonly Checked[], pairs: readonly Pair[]): PlaceFault | undefined {
  const unknown = pairs.find(
    ({ name }) => !declared.some(({ parameter, members }) => ownsName(parameter, name, members)),
  );
  if (unknown === undefined) return undefined;
  const known = declared.flatMap(({ parameter, members }) =>
    members === undefined ? parameter.name : [...members.names],
  );
  const described = describeUnknown(`query parameter ${cut(unknown.name)}`, unknown.name, known);
  return { in: 'query', at: cut(unknown.name), ...described };
}

function faultAt(
  { in: place, name, invalidStatus }: Parameter,
  { says, nearest }: { readonly says: string; readonly nearest: readonly string[] },
): ReadPlace<never> {
  const fault = { in: place === 'cookie' ? 'header' : place, at: name, says, nearest, status: invalidStatus } as const;
  return { kind: 'fault', fault };
}

/**
 * The message about an invalid cursor. An example would not help, since each cursor belongs to one list.
 *
 * @returns undefined if the parameter is not the cursor of the list (`x-pagination`)
 */
function describeCursor(
  { extensions }: Operation,
  { name }: Parameter,
  value: unknown,
): Pick<Description, 'says' | 'nearest'> | undefined {
  const paging = extensions['x-pagination'];
  const cursor = isObject(paging) && isObject(paging.cursor) ? paging.cursor : {};
  if (cursor.send !== name) return undefined;
  const next = String(cursor.read).split('/').at(-1);
  const sent = value === '' ? 'empty' : JSON.stringify(value);
  const says =
    value === cursor.end
      ? `${name} must not be ${sent}: ${next} is ${sent} on the last page`
      : `${name} does not have the right form: send ${next} as it came`;
  return { says, nearest: [] };
}
