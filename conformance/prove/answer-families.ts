// Faults of one answer: its content, its status, its header. The recorded answer is changed and judged again.
import { isSame } from '@lockstep/values/same-value';
import { admits, type Shape, typeOfValue } from '@lockstep/values/shape';
import { hasContent } from '../checks/answered.ts';
import {
  type Contract,
  contentFor,
  coversMediaType,
  type HeaderObject,
  isJson,
  type Operation,
  responseFor,
} from '../contract/contract.ts';
import { isObject, joinPointer } from '../contract/document.ts';
import { replaceAt } from '../data/time.ts';
import { headerOf, type NumberedExchange } from '../execute/exchange.ts';
import { type CanonicalForm, schemasOf } from '../schema/canonical.ts';
import { type Change, type Family, type Injecting, intoAnswer, schemasOfSuccess, successesOf } from './family.ts';

/** A kind of fault in JSON content. */
interface ContentFault {
  /** Whether the schema at a place constrains values in this way. */
  readonly constrains: (shape: Shape) => boolean;
  /** @returns a value that the shape does not allow */
  readonly change: (shape: Shape, value: unknown) => { readonly value: unknown; readonly how: string } | undefined;
}

const propertyFault: ContentFault = {
  constrains: ({ required }) => required.size > 0,
  change: ({ required }, value) => {
    const name = isObject(value) ? [...required].find((one) => Object.hasOwn(value, one)) : undefined;
    if (!isObject(value) || name === undefined) return undefined;
    const { [name]: _, ...rest } = value;
    return { value: rest, how: `without ${name}` };
  },
};

/** Values of each type but null, which many schemas allow by an annotation of their own. */
const ofTypes: readonly unknown[] = ['changed', 7, true, {}, []];

const typeFault: ContentFault = {
  constrains: ({ types }) => ofTypes.some((value) => !types.has(typeOfValue(value))),
  change: ({ types }) => {
    const value = ofTypes.find((one) => !types.has(typeOfValue(one)));
    return value === undefined ? undefined : { value, how: `${JSON.stringify(value)}` };
  },
};

const enumFault: ContentFault = {
  constrains: ({ values }) => values !== undefined,
  change: ({ values }, value) => {
    if (values === undefined) return undefined;
    const others = [typeof value === 'number' ? value + 1_000_003 : 'no-such-value', 1_000_003, !value];
    const isOther = (one: unknown): boolean => typeOfValue(one) === typeOfValue(value);
    const other = others.find((one) => isOther(one) && !values.some((known) => isSame(known, one)));
    return other === undefined ? undefined : { value: other, how: JSON.stringify(other) };
  },
};

interface Part {
  readonly at: string;
  readonly value: unknown;
  readonly shape: Shape;
}

/** Parts of a value that are walked; further items of a list have the schema of its first. */
const mostParts = 300;

/** The parts of a value whose schemas hold in every branch, values that have no parts first. */
function partsOf(form: CanonicalForm, schema: string, whole: unknown): readonly Part[] {
  const found: Part[] = [];
  const waiting = [{ at: '', value: whole, node: form.at(schema) }];
  for (let next = waiting.shift(); next !== undefined && found.length < mostParts; next = waiting.shift()) {
    const { at, value, node } = next;
    const shape = form.common(node);
    if (shape.isLeftOut) continue;
    found.push({ at, value, shape });
    if (Array.isArray(value) && value.length > 0)
      waiting.push({ at: joinPointer(at, 0), value: value[0], node: form.item(shape, 0) });
    else if (isObject(value))
      for (const [name, part] of Object.entries(value).filter(([one]) => shape.properties.has(one)))
        waiting.push({ at: joinPointer(at, name), value: part, node: form.property(shape, name) });
  }
  const isWhole = ({ value }: Part): number => Number(typeof value === 'object' && value !== null);
  return found.sort((a, b) => isWhole(a) - isWhole(b));
}

type Reach = 'always' | 'perhaps' | 'never';

/** Schemas that are read for one answer. */
const mostNodes = 2_000;

/** Whether a valid answer has a part with a constraint. */
function reachOf(form: CanonicalForm, schema: string, constrains: ContentFault['constrains']): Reach {
  const seen = new Set<unknown>();
  const waiting = [{ node: form.at(schema), isSure: true }];
  let isFound = false;
  for (let next = waiting.shift(); next !== undefined && seen.size < mostNodes; next = waiting.shift()) {
    const { node, isSure } = next;
    const shape = form.common(node);
    if (shape.isLeftOut || (seen.has(node) && !isSure)) continue;
    seen.add(node);
    const isOnly = (type: 'object' | 'array'): boolean => isSure && shape.types.size === 1 && shape.types.has(type);
    if (constrains(shape)) {
      if (isSure) return 'always';
      isFound = true;
    }
    for (const name of shape.properties.keys())
      waiting.push({ node: form.property(shape, name), isSure: isOnly('object') && shape.required.has(name) });
    if (shape.types.has('array'))
      waiting.push({ node: form.item(shape, 0), isSure: isOnly('array') && shape.minItems > 0 });
  }
  return isFound ? 'perhaps' : 'never';
}

function ofContent(
  described: Pick<Family, 'name' | 'about'> & { readonly noun: string },
  { constrains, change }: ContentFault,
): Family {
  const { name, about, noun } = described;
  const reaches = (operation: Operation, contract: Contract): readonly Reach[] =>
    schemasOfSuccess(operation).map((schema) => reachOf(schemasOf(contract).forms.response, schema, constrains));
  return {
    ...{ name, about, check: 'body-schema' },
    excludes: (operation, contract) => {
      const found = reaches(operation, contract);
      if (found.length === 0) return 'no success has a JSON schema';
      return found.every((one) => one === 'never') ? `the schemas of its successes have no ${noun}` : undefined;
    },
    mayLack: (operation, contract) => {
      const types = successesOf(operation).map(({ contents }) => contents.map(({ mediaType }) => mediaType));
      if (types.some((own) => own.length === 0 || !own.every(isJson)))
        return 'its successes need not have JSON content';
      if (reaches(operation, contract).includes('always')) return undefined;
      return `its successes need not have any part with a ${noun}`;
    },
    inject: intoAnswer((exchange, { contract }) => {
      const content = contentOfJson(exchange);
      if (content?.schema === undefined) return undefined;
      const whole = exchange.seen.responseBody;
      for (const { at, value, shape } of partsOf(schemasOf(contract).forms.response, content.schema, whole)) {
        const other = constrains(shape) ? change(shape, value) : undefined;
        if (other === undefined) continue;
        return { what: `${other.how} at ${at || 'the root'}`, content: replaceAt(whole, at, other.value) };
      }
      return undefined;
    }),
  };
}

function contentOfJson({ operation, outcome, seen }: NumberedExchange) {
  if (outcome.kind === 'none' || seen.responseBody === undefined || outcome.isCut === true) return undefined;
  const type = headerOf(outcome, 'content-type') ?? '';
  return isJson(type) ? contentFor(responseFor(operation, outcome.status)?.contents ?? [], type) : undefined;
}

/** Other statuses of success, so that nothing but the contract is broken. */
const otherStatuses = [200, 202, 203] as const;

function undocumented(operation: Operation, except?: number): number | undefined {
  return otherStatuses.find((status) => status !== except && responseFor(operation, status) === undefined);
}

const otherTypes = ['text/html', 'application/octet-stream', 'image/png'] as const;

function unlistedType(types: readonly string[]): string | undefined {
  return otherTypes.find((other) => !types.some((type) => coversMediaType(type, other)));
}

/** Headers that OpenAPI ignores in a Response Object, and those that a client does not decode. */
const isIgnored = ({ name }: HeaderObject): boolean => /^(content-type|set-cookie)$/i.test(name);

/** Texts that few schemas of headers allow. */
const otherTexts = ['changed value', '-7.5', 'x'] as const;

/** A text that the schema of a header does not allow, whatever a client reads from it. */
function wrongText(contract: Contract, { schema, hasContent: isDocument }: HeaderObject): string | undefined {
  if (schema === undefined || isDocument) return undefined;
  const form = schemasOf(contract).forms.response;
  const shape = form.common(form.at(schema));
  if (shape.types.has('array') || shape.types.has('object')) return undefined;
  return otherTexts.find((text) => {
    const number = Number(text);
    return !admits(shape, text) && (Number.isNaN(number) || !admits(shape, number));
  });
}

function changeHeader({ operation, outcome }: NumberedExchange, { contract }: Injecting): Change | undefined {
  if (outcome.kind === 'none') return undefined;
  const declared = (responseFor(operation, outcome.status)?.headers ?? []).filter((header) => !isIgnored(header));
  const present = declared.filter(({ name }) => headerOf(outcome, name) !== undefined);
  const isNamed = (name: string, other: string): boolean => name.toLowerCase() === other.toLowerCase();
  const dropped = present.find(({ required }) => required)?.name;
  if (dropped !== undefined)
    return { what: `without ${dropped}`, headers: outcome.headers.filter(([name]) => !isNamed(name, dropped)) };
  for (const header of present) {
    const text = wrongText(contract, header);
    if (text === undefined) continue;
    const others = outcome.headers.filter(([name]) => !isNamed(name, header.name));
    return { what: `${header.name}: ${text}`, headers: [...others, [header.name.toLowerCase(), text]] };
  }
  return undefined;
}

function changeType({ operation, outcome, ...exchange }: NumberedExchange): Change | undefined {
  if (outcome.kind === 'none' || !hasContent({ ...exchange, operation, outcome }) || outcome.body.length === 0)
    return undefined;
  const listed = responseFor(operation, outcome.status)?.contents.map(({ mediaType }) => mediaType) ?? [];
  const type = listed.length === 0 ? undefined : unlistedType(listed);
  if (type === undefined) return undefined;
  const others = outcome.headers.filter(([name]) => name.toLowerCase() !== 'content-type');
  return { what: `the media type ${type}`, headers: [...others, ['content-type', type]] };
}

export const answerFamilies: readonly Family[] = [
  ofContent(
    { name: 'property', about: 'an answer lacks a required property', noun: 'required property' },
    propertyFault,
  ),
  ofContent({ name: 'type', about: 'a value of an answer has another type', noun: 'type' }, typeFault),
  ofContent({ name: 'enum', about: 'a value of an answer is outside of its enum', noun: 'enum' }, enumFault),
  {
    name: 'status',
    about: 'an answer has a status that is not documented',
    check: 'status-undocumented',
    excludes: (operation) =>
      undocumented(operation) === undefined ? 'default or a range documents every other 2xx' : undefined,
    inject: intoAnswer(({ operation, outcome }) => {
      const status = undocumented(operation, outcome.kind === 'answer' ? outcome.status : 0);
      return status === undefined ? undefined : { what: `the status ${status}`, status };
    }),
  },
  {
    name: 'header',
    about: 'an answer lacks a required header, or a header has a wrong value',
    check: 'header-schema',
    excludes: (operation, contract) => {
      const declared = successesOf(operation).flatMap(({ headers }) => headers.filter((one) => !isIgnored(one)));
      if (declared.length === 0) return 'no success declares a header';
      const isBound = declared.some((header) => header.required || wrongText(contract, header) !== undefined);
      return isBound ? undefined : 'the headers of its successes are optional and may have any text';
    },
    mayLack: (operation) =>
      successesOf(operation).every(({ headers }) => headers.some(({ required }) => required))
        ? undefined
        : 'the headers of its successes are optional',
    inject: intoAnswer(changeHeader),
  },
  {
    name: 'media type',
    about: 'content has a media type that is not listed',
    check: 'media-type',
    excludes: (operation) => {
      const lists = successesOf(operation).flatMap(({ contents }) =>
        contents.length === 0 ? [] : [contents.map(({ mediaType }) => mediaType)],
      );
      if (lists.length === 0) return 'no success declares content';
      return lists.every((types) => unlistedType(types) === undefined) ? 'its content may have any type' : undefined;
    },
    mayLack: (operation) =>
      successesOf(operation).every(({ contents }) => contents.length > 0)
        ? undefined
        : 'a success of it has no content',
    inject: intoAnswer(changeType),
  },
];
