// The free strings of a request: places whose texts neither the contract nor the name of the place restricts.
import { namesFormat } from '@lockstep/values/build-scalar';
import { type SchemaNode, type Shape, saidTypes } from '@lockstep/values/shape';
import type { RunContext } from '../checks/check.ts';
import { isJson, type Parameter } from '../contract/contract.ts';
import { joinPointer, type Pointer } from '../contract/document.ts';
import type { TextBounds } from '../data/text-families.ts';
import { validityOf } from '../data/wire-validity.ts';
import type { Draft } from '../execute/exchange.ts';
import { seenOf } from '../execute/write-request.ts';
import { refuseValues } from '../plan/permissions.ts';
import { keyOf } from '../rejections/constraints.ts';
import { valueAt } from '../rejections/find-place.ts';
import { namesItemAt, nounOf, stemOf } from '../resources/slots.ts';
import { holdsSecrets, ruledValues } from '../schema/annotated-values.ts';
import type { CanonicalForm } from '../schema/canonical.ts';
import { addAt } from '../search/apply-constraints.ts';
import { hasToExist, isFilledByServer } from '../search/build-request.ts';

/** A string of a request that the contract leaves free. */
export interface TextPlace extends TextBounds {
  /** Undefined for a place of the body. */
  readonly parameter: Parameter | undefined;
  readonly tokens: readonly string[];
  readonly pointer: Pointer;
  /** Of the parameter or member. */
  readonly name: string;
  /** As rejections name it. */
  readonly key: string;
}

const most = { places: 12, levels: 4, parts: 200 } as const;

/** Free strings of the accepted request, and those that could be added to it. */
export function placesOf(context: RunContext, accepted: Draft): readonly TextPlace[] {
  const { judge, contract } = context;
  const form = judge.forms.request;
  const { operation, body } = accepted;
  const ofParameters = operation.parameters.flatMap((parameter): TextPlace[] => {
    const { in: where, name, schema, pointer, mediaType, rule } = parameter;
    const isText = (where === 'query' || where === 'header') && mediaType === undefined && rule === undefined;
    const shape = schema === undefined ? unbound : freeShape(form, form.at(schema));
    if (!isText || shape === undefined || /^(accept|content-type|authorization)$/i.test(name)) return [];
    const { minLength, maxLength } = shape;
    // Servers limit the size of a header, and 8 KB of an address.
    const bounds = { minLength, maxLength: Math.min(maxLength, mostInHead) };
    return [
      {
        ...bounds,
        parameter,
        tokens: [],
        pointer: schema ?? pointer,
        name,
        key: keyOf({ kind: 'parameter', parameter }),
      },
    ];
  });
  const schema = body?.content.schema;
  const isText = body !== undefined && (isJson(body.content.mediaType) || isForm.test(body.content.mediaType));
  const ofBody = schema === undefined || !isText ? [] : membersOf(form, form.at(schema), schema);
  const ruled = new Set(
    schema === undefined ? [] : [...ruledValues(contract.root, schema, body?.value)].map(({ at }) => at),
  );
  return [...ofParameters, ...ofBody]
    .filter((place) => !ruled.has(joinPointer('', ...place.tokens)) && isFree(context, accepted, place))
    .slice(0, most.places);
}

const isForm = /^application\/x-www-form-urlencoded/i;

/** Characters of a text in a query or header: each may take 12 octets. */
const mostInHead = 300;

const unbound: TextBounds = { minLength: 0, maxLength: Number.POSITIVE_INFINITY };

/** The shape of a node whose strings have no other bound than their length. */
function freeShape(form: CanonicalForm, node: SchemaNode): Shape | undefined {
  return form.shapes(node).find((shape) => {
    const isBound = shape.values !== undefined || shape.patterns.size + shape.notPatterns.size > 0;
    const isOther = shape.format !== undefined || shape.content !== undefined || shape.isBinary || shape.isLeftOut;
    return saidTypes(shape).has('string') && !isBound && !isOther;
  });
}

/** Free strings among the members of a schema and the first item of each list, the outer ones first. */
function membersOf(form: CanonicalForm, root: SchemaNode, start: Pointer): TextPlace[] {
  const found: TextPlace[] = [];
  const waiting = [{ node: root, tokens: [] as readonly string[], pointer: start }];
  for (const { node, tokens, pointer } of waiting) {
    const free = freeShape(form, node);
    if (free !== undefined) {
      const name = tokens.findLast((token) => token !== '0') ?? '';
      const { minLength, maxLength } = free;
      found.push({
        minLength,
        maxLength,
        parameter: undefined,
        tokens,
        pointer,
        name,
        key: `body /${tokens.join('/')}`,
      });
      continue;
    }
    if (tokens.length >= most.levels || waiting.length > most.parts) continue;
    const known = new Set<string>();
    for (const shape of form.shapes(node)) {
      for (const [name, at] of form.declared(shape)) {
        if (known.has(name)) continue;
        known.add(name);
        waiting.push({ node: form.property(shape, name), tokens: [...tokens, name], pointer: at });
      }
      const item = form.item(shape, 0);
      const at = form.pointerOf(item);
      if (shape.types.has('array') && at !== undefined && !known.has('0'))
        waiting.push({ node: item, tokens: [...tokens, '0'], pointer: at });
    }
  }
  return found;
}

/** Texts of a form that the contract does not declare: a date, an id, a number, an address. */
const isFormed = /^\d{4}-\d\d-\d\d|^[0-9a-f]{8}-[0-9a-f]{4}-|^[\d\s.,:+/-]+$|^[^\s@]+@[^\s@]+$|^[a-z][a-z0-9+.-]*:\S/i;

/**
 * Whether a part with this name refers to an object, or the server chooses its value.
 *
 * @param path of the operation: a name may be that of its own objects
 */
export function isGiven({ resources }: Pick<RunContext, 'resources'>, name: string, path: string): boolean {
  const stem = stemOf(name);
  if (hasToExist(name) || isFilledByServer(name)) return true;
  return stem !== nounOf(path) && resources.mayKnow(stem);
}

/** Whether a member of a body is given, or names the item at the path: with another value it moves the item, or contradicts the path. */
export function isGivenAt(context: Pick<RunContext, 'resources'>, tokens: readonly string[], path: string): boolean {
  const name = tokens.findLast((token) => !/^\d+$/.test(token)) ?? '';
  return isGiven(context, name, path) || (tokens.length === 1 && namesItemAt(path, name));
}

/** Whether any text may be valid there, as far as the contract, the name and the accepted value show. */
function isFree(context: RunContext, accepted: Draft, place: TextPlace): boolean {
  const { name, tokens, parameter } = place;
  const { path } = accepted.operation;
  const isFixed = parameter === undefined ? isGivenAt(context, tokens, path) : isGiven(context, name, path);
  if (isFixed || namesFormat(name)) return false;
  // Outputs would hide the text.
  if (holdsSecrets(context.contract.root, place.pointer)) return false;
  const known = valueIn(accepted, place);
  if (known === undefined) {
    // An optional member is added to an object that is there.
    const holder = valueAt(accepted.body?.value, tokens.slice(0, -1));
    if (parameter === undefined && (typeof holder !== 'object' || holder === null || Array.isArray(holder)))
      return false;
  } else if (typeof known !== 'string' || isFormed.test(known)) return false;
  const plain = withTexts(accepted, [{ place, text: plainText(place) }]);
  return isSendable(context, plain) && validityOf(context.judge, plain, context.contract) !== 'invalid';
}

/** @param length in characters, if the bounds allow it */
export function plainText({ minLength, maxLength }: TextBounds, length = 8): string {
  return 'plaintext'
    .repeat(1 + Math.ceil(Math.max(length, minLength) / 9))
    .slice(0, Math.min(maxLength, Math.max(length, minLength)));
}

function valueIn({ parameters, body }: Draft, { parameter, tokens }: TextPlace): unknown {
  return parameter === undefined
    ? valueAt(body?.value, tokens)
    : parameters.find((one) => one.parameter === parameter)?.value;
}

/** Whether the values of a request have no effect that the user did not allow. */
export function isSendable({ permissions }: RunContext, draft: Draft): boolean {
  return refuseValues(draft.operation, seenOf(draft), permissions) === undefined;
}

export interface Placed {
  readonly place: TextPlace;
  readonly text: string;
}

export function withTexts(draft: Draft, texts: readonly Placed[]): Draft {
  let { parameters, body } = draft;
  for (const { place, text } of texts) {
    const { parameter, tokens } = place;
    if (parameter !== undefined)
      parameters = [...parameters.filter((one) => one.parameter !== parameter), { parameter, value: text }];
    else if (body !== undefined) body = { ...body, value: addAt(body.value, tokens, text) };
  }
  return { ...draft, parameters, body };
}
