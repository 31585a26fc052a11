// Whether a request is valid as a server must decode it. A text on the wire may stand for several values, and servers differ in what they
// accept beyond the contract: only a request that is valid or invalid for all of them proves anything about data.
import { type JsonType, saidTypes } from '@lockstep/values/shape';
import { type Contract, isJson, type Operation, type Parameter } from '../contract/contract.ts';
import { isObject } from '../contract/document.ts';
import type { Draft, Polarity } from '../execute/exchange.ts';
import type { Judge } from '../schema/create-judge.ts';
import { polarityOfBody } from './body-polarity.ts';
import { shapesOf, splitPairs, splitText, typesOfShape, type WireText } from './decode-text.ts';
import { encodeHeader, encodePath, encodeQuery } from './parameter-styles.ts';
import { holdsDoubtfulText, isComposite, polarityOfJson, polarityOfText } from './value-polarity.ts';

/** Many servers reject a longer address or header with 414 or 431. */
const mostBytes = 8_000;

/**
 * The polarity of a request on the wire. An omitted part is invalid if it is required. A request that may reach another operation, or that
 * was edited after encoding, is grey. Otherwise one invalid part is enough, and a grey part makes no valid request.
 *
 * @param contract its paths may match the request instead, and a credential may replace a parameter
 */
export function validityOf(judge: Judge, draft: Draft, contract?: Pick<Contract, 'operations' | 'schemes'>): Polarity {
  try {
    const { operation, body } = draft;
    if (draft.edits !== undefined || [...draft.parameters, body].some((part) => holdsDoubtfulText(part?.value)))
      return 'grey';
    if (isUnclearAddress(draft, contract?.operations ?? [])) return 'grey';
    const parts = operation.parameters.map((parameter) => {
      const polarity = polarityOfParameter(judge, draft, parameter);
      return polarity === 'invalid' && isReplaced(parameter, contract) ? 'grey' : polarity;
    });
    const needsBody = operation.body?.required === true;
    if (body !== undefined) parts.push(polarityOfBody(judge, body.content, body.value, needsBody));
    else if (needsBody) parts.push('invalid');
    return parts.includes('invalid') ? 'invalid' : parts.includes('grey') ? 'grey' : 'valid';
  } catch (error) {
    // A value nested deeper than the stack.
    if (error instanceof RangeError) return 'grey';
    throw error;
  }
}

/** Whether the parameter is a credential, which the run adds to requests. */
function isReplaced({ name, in: place }: Parameter, contract: Pick<Contract, 'schemes'> | undefined): boolean {
  return Object.values(contract?.schemes ?? {}).some(
    ({ key }) => key?.in === place && key.name.toLowerCase() === name.toLowerCase(),
  );
}

function isUnclearAddress(draft: Draft, operations: readonly Operation[]): boolean {
  const { operation, parameters } = draft;
  const inPath = parameters.filter(({ parameter }) => parameter.in === 'path');
  const texts = inPath.map(({ parameter, value }) => [`{${parameter.name}}`, encodePath(parameter, value)] as const);
  // Servers and proxies remove a segment of dots.
  if (texts.some(([, text]) => /^(%2E|\.)*$/i.test(text))) return true;
  const segments = segmentsOf(operation.path).map((segment) =>
    texts.reduce((filled, [name, text]) => filled.replace(name, () => text), segment),
  );
  const query = parameters.filter(({ parameter }) => parameter.in === 'query');
  const pairs = query.flatMap(({ parameter, value }) => encodeQuery(parameter, value));
  const length = [...segments, ...pairs.flat()].reduce((sum, part) => sum + part.length + 1, 0);
  return length > mostBytes || rivalsOf(operation, operations).some((rival) => matches(rival, segments));
}

function segmentsOf(path: string): readonly string[] {
  return (path.split(/[?#]/)[0] ?? '').split('/');
}

const rivals = new WeakMap<Operation, readonly (readonly string[])[]>();

/** Paths with a fixed segment in place of a parameter: servers prefer `/books/new` to `/books/{id}`. */
function rivalsOf(operation: Operation, operations: readonly Operation[]): readonly (readonly string[])[] {
  const known = rivals.get(operation);
  if (known !== undefined) return known;
  const own = segmentsOf(operation.path);
  const found = operations
    .map(({ path }) => segmentsOf(path))
    .filter((other) => other.length === own.length)
    .filter((other) => other.some((segment, index) => !segment.includes('{') && own[index]?.includes('{') === true));
  rivals.set(operation, found);
  return found;
}

/** Many servers ignore case. */
function matches(template: readonly string[], segments: readonly string[]): boolean {
  return template.every((part, index) => {
    const segment = segments[index]?.toLowerCase();
    const spellings = [part, encodeURIComponent(part.toWellFormed())];
    return part.includes('{') || spellings.some((spelling) => spelling.toLowerCase() === segment);
  });
}

function polarityOfParameter(judge: Judge, draft: Draft, parameter: Parameter): Polarity {
  const { required, schema, mediaType } = parameter;
  const own = draft.parameters.filter(
    (one) => one.parameter.in === parameter.in && one.parameter.name === parameter.name,
  );
  const [sent] = own;
  if (sent === undefined) return required ? 'invalid' : 'valid';
  const { value } = sent;
  if (own.length > 1 || (parameter.in === 'header' && isDoubtfulHeader(encodeHeader(parameter, value)))) return 'grey';
  if (schema === undefined) return 'valid';
  if (value === '' && parameter.allowEmptyValue === true) return 'grey';
  if (mediaType !== undefined) return isJson(mediaType) ? polarityOfJson(judge, schema, value) : 'grey';
  const form = judge.forms.request;
  const shapes = shapesOf(form, form.at(schema));
  const text = splits[parameter.in]({
    ...{ parameter, value, draft },
    allowed: new Set(shapes.flatMap((shape) => [...typesOfShape(shape)])),
    named: new Set(shapes.flatMap((shape) => [...saidTypes(shape).intersection(typesOfShape(shape))])),
  });
  if (text === 'unclear' || (isComposite(value) && Object.values(value).some(isComposite))) return 'grey';
  const polarity = text === 'absent' ? judge.polarityOf(schema, value) : polarityOfText(judge, schema, value, text);
  if (text === 'absent') return absent[polarity](required);
  return polarity === 'invalid' && sharesSegment(draft.operation, parameter) ? 'grey' : polarity;
}

/** The polarity of a parameter that disappears on the wire, such as an empty list, by the polarity of its value. */
const absent: Readonly<Record<Polarity, (required: boolean) => Polarity>> = {
  valid: (required) => (required ? 'grey' : 'valid'),
  grey: () => 'grey',
  invalid: (required) => (required ? 'invalid' : 'grey'),
};

/** Whether another parameter is in the same segment of the path: both values could begin and finish elsewhere. */
function sharesSegment({ path }: Operation, { name, in: place }: Parameter): boolean {
  const segment = segmentsOf(path).find((one) => one.includes(`{${name}}`)) ?? '';
  return place === 'path' && segment.split('{').length > 2;
}

/** A server may drop an empty header, trim a text, and read bytes beyond ASCII in any charset (RFC 9110, 5.5). */
function isDoubtfulHeader(text: string): boolean {
  return !/^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(text) || text.length > mostBytes;
}

interface Sent {
  readonly parameter: Parameter;
  readonly value: unknown;
  readonly draft: Draft;
  /** Types of the schema's values, and those that the schema names. */
  readonly allowed: ReadonlySet<JsonType>;
  readonly named: ReadonlySet<JsonType>;
}

type Split = WireText | 'absent' | 'unclear';

const splits: Readonly<Record<Parameter['in'], (sent: Sent) => Split>> = {
  path: ({ parameter, value }) => {
    const text = encodePath(parameter, value);
    // Some servers decode a slash before they split the path, or reject characters that may hide one.
    return /%(2F|5C|3B|25)/i.test(text) ? 'unclear' : splitText(parameter, text, decodeURIComponent);
  },
  header: ({ parameter, value }) => splitText(parameter, encodeHeader(parameter, value), (text) => text.trim()),
  query: (sent) => splitMembers(sent) ?? splitPairs(sent.parameter, pairsOf(sent), decodeURIComponent),
  cookie: (sent) => {
    const pairs = pairsOf(sent);
    // Of two cookies with one name, servers use either.
    if (new Set(pairs.map(([name]) => name)).size < pairs.length) return 'unclear';
    const split = (decode: (text: string) => string) => splitPairs(sent.parameter, pairs, decode);
    // Not every server decodes cookies.
    return splitMembers(sent) ?? [...split(decodeURIComponent), ...split((text) => text)];
  },
};

function pairsOf({ parameter, value }: Pick<Sent, 'parameter' | 'value'>) {
  return encodeQuery(parameter, value);
}

/** @returns undefined if the pairs of the parameter have its name */
function splitMembers({ parameter, value, draft, allowed, named }: Sent): Split | undefined {
  const { style, explode } = parameter;
  if (pairsOf({ parameter, value }).length === 0) return 'absent';
  if (style !== 'deepObject' && !(style === 'form' && explode)) return undefined;
  // Without an object, a server may read no member, and no parameter either.
  if (!isObject(value)) return named.has('object') ? 'unclear' : undefined;
  if (!allowed.has('object')) return 'absent';
  // Each member is a parameter of its own: those of two objects are mixed.
  const isOther = (other: Parameter): boolean => other.in === parameter.in && other.name !== parameter.name;
  const names = draft.operation.parameters.filter(isOther).map(({ name }) => name);
  const objects = draft.parameters.filter((other) => isOther(other.parameter) && isObject(other.value));
  const isMixed = objects.length > 0 || names.some((name) => Object.hasOwn(value, name));
  return style === 'form' && isMixed ? 'unclear' : undefined;
}
