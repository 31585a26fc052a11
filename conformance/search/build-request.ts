import type { MediaContent, Operation, Parameter } from '../contract/contract.ts';
import { isObject, memberOf, objectAt } from '../contract/document.ts';
import { rankContents } from '../data/encode-body.ts';
import { followRecipe } from '../data/time.ts';
import {
  atOrBefore,
  bodyCandidates,
  buildFrom,
  type Candidate,
  type DataTools,
  type LazyList,
  valueCandidates,
} from '../data/value-candidates.ts';
import type { Draft } from '../execute/exchange.ts';
import type { Constraints } from '../rejections/constraints.ts';
import { alongSchema } from '../rejections/find-place.ts';
import { referencesFor, spell, type Target } from '../resources/find-targets.ts';
import { isCursorName, listShapeOf } from '../resources/list-shape.ts';
import { isScalar, type Scalar } from '../resources/read-items.ts';
import type { Resources } from '../resources/resources.ts';
import { isIdName, normal, nounOf, singular, slotsOf, stemOf } from '../resources/slots.ts';
import { addEnding, applyToBody, applyToParameter, freshOf } from './apply-constraints.ts';
import type { Variant } from './attempt.ts';

export interface RequestBuilder {
  /** Whether any parameter or the body has a candidate at the variant's index. */
  readonly hasCandidate: (variant: Variant) => boolean;
  readonly contents: number;
  /** @returns undefined if a required part could not be built */
  readonly build: (
    target: Target,
    variant: Variant,
    resources: Resources,
    constraints: Constraints,
  ) => Draft | undefined;
}

export function createRequestBuilder(tools: DataTools, operation: Operation): RequestBuilder {
  const contents = rankContents(operation.body?.contents ?? []);
  const lists = new Map<string, LazyList<Candidate>>();
  const candidatesFor = (fresh: number, key: string, create: (tools: DataTools) => LazyList<Candidate>) => {
    const name = `${fresh} ${key}`;
    const known = lists.get(name) ?? create(freshTools(tools, fresh));
    lists.set(name, known);
    return known;
  };
  const candidatesOfBody = ({ content, fresh }: Variant): LazyList<Candidate> => {
    const chosen = contents[content];
    return chosen === undefined
      ? { at: () => undefined }
      : candidatesFor(fresh, `body ${content}`, (own) => bodyCandidates(own, chosen));
  };
  const parameterCandidates = (parameter: Parameter, { fresh }: Variant): LazyList<Candidate> =>
    candidatesFor(fresh, `${parameter.in} ${parameter.name}`, (own) =>
      valueCandidates(own, parameter.schema, parameter.examples, parameter.name),
    );
  const required = operation.parameters.filter((parameter) => parameter.required);
  const step = listShapeOf(tools.contract, operation)?.step;
  /** No value is known before an answer has shown one, and the server may reject it next to other parameters. */
  const cursor = step?.kind === 'cursor' ? step.send : undefined;

  return {
    contents: contents.length,
    hasCandidate: (variant) =>
      (variant.hasBody && candidatesOfBody(variant).at(variant.index) !== undefined) ||
      required.some((parameter) => parameterCandidates(parameter, variant).at(variant.index) !== undefined),
    build: (target, variant, resources, constraints) => {
      const references = (name: string, schema: string | undefined): readonly unknown[] => [
        ...new Set([...referencesFor(tools, resources, name, schema), ...seenUnder(tools, resources, name, schema)]),
      ];
      const application = { tools, count: variant.fresh };
      const values: Record<string, unknown> = {};
      for (const parameter of operation.parameters) {
        const isCursor = parameter === cursor || isCursorName(parameter.name);
        const isChosen = parameter.required || (variant.isComplete && parameter.in === 'query' && !isCursor);
        const candidate = (): unknown => {
          const at = atOrBefore(parameterCandidates(parameter, variant), parameter.required ? variant.index : 0)?.value;
          return parameter.required ? at : (references(parameter.name, parameter.schema)[0] ?? at);
        };
        const value = isChosen ? chooseValue(tools, parameter, target, candidate, values) : undefined;
        const isOfTarget = memberOf(target.values, parameter.name) !== undefined;
        const constrained = isOfTarget ? value : applyToParameter(application, parameter, value, constraints);
        if (constrained === undefined && parameter.required) return undefined;
        if (constrained !== undefined) values[parameter.name] = constrained;
      }
      const parameters = operation.parameters
        .filter(({ name }) => Object.hasOwn(values, name))
        .map((parameter) => ({ parameter, value: values[parameter.name] }));
      const content = variant.hasBody ? contents[variant.content] : undefined;
      const candidate = content === undefined ? undefined : atOrBefore(candidatesOfBody(variant), variant.index);
      if (candidate === undefined && operation.body?.required === true) return undefined;
      const label = labelOf(operation, target, candidate?.label, variant, constraints);
      if (content === undefined || candidate === undefined) return { operation, parameters, body: undefined, label };
      const about = { tools, resources, operation, target };
      const fresh = variant.fresh > 0 ? renameObjects(tools, content, candidate.value, variant.fresh) : candidate.value;
      const linked = withReferences(about, content, fresh);
      const constrained = applyToBody(application, content, linked, constraints);
      const value = constraints.size === 0 ? constrained : withReferences(about, content, constrained);
      return { operation, parameters, body: withFiles(tools, content, value), label };
    },
  };
}

/** Values of members of this name in earlier answers. */
function seenUnder(tools: DataTools, resources: Resources, name: string, schema: string | undefined): Scalar[] {
  return resources.mentions(singular(normal(name))).flatMap(({ value }) => spell(tools, schema, value) ?? []);
}

/** Why no request could be built. */
export function explainGap({ body }: Operation): string {
  const types = body?.contents.map(({ mediaType }) => mediaType).join(', ');
  return types === undefined
    ? 'no valid value was found for a required parameter'
    : `no valid body could be built (${types})`;
}

function labelOf(
  operation: Operation,
  target: Target,
  body: string | undefined,
  variant: Variant,
  constraints: Constraints,
): string {
  const about = operation.path.includes('{') ? target.label : undefined;
  const parts = [
    about,
    body,
    constraints.size > 0 ? 'adapted to rejections' : undefined,
    variant.fresh > 0 ? 'with a new name' : undefined,
    variant.isComplete ? 'with optional parameters' : undefined,
  ];
  return parts.filter((part) => part !== undefined).join(', ') || 'plain';
}

function freshTools(tools: DataTools, fresh: number): DataTools {
  return fresh === 0
    ? tools
    : { ...tools, tag: `${tools.tag}-${freshOf(tools, fresh)}`, seed: (tools.seed + fresh * 7_919) % 0x7fffffff };
}

function chooseValue(
  tools: DataTools,
  parameter: Parameter,
  target: Target,
  candidate: () => unknown,
  chosen: Readonly<Record<string, unknown>>,
): unknown {
  const drawn = memberOf(target.values, parameter.name);
  const spelled = isScalar(drawn) ? spell(tools, parameter.schema, drawn) : undefined;
  if (spelled !== undefined) return spelled;
  const read = (from: string): unknown => memberOf(chosen, from.replace(/^\$request\.(path|query|header)\./, ''));
  const byRule =
    parameter.schema === undefined ? undefined : followRecipe(tools, parameter.rule, parameter.schema, read);
  return byRule ?? candidate();
}

/** Members that often have to be unique among the objects of a server. */
const uniqueMembers =
  /^(.*[_-]?(name|title|slug|key|code|email|e-mail|login|username|label|id|uuid|identifier|handle|number|sku|isbn))$/i;

export function isUniqueName(member: string): boolean {
  return uniqueMembers.test(member);
}

/**
 * Gives the object of a body new names: servers may reject a second object of the same name.
 *
 * @param keeps members that keep their values
 */
export function renameObjects(
  tools: DataTools,
  content: MediaContent,
  body: unknown,
  fresh: number,
  keeps: (member: string) => boolean = () => false,
): unknown {
  if (!isObject(body)) return body;
  const isValid = (value: unknown): boolean =>
    content.schema === undefined || tools.judge.accepts(content.schema, 'request', value);
  const suffix = freshOf(tools, fresh);
  // Endings of a run begin alike: with its time.
  const earlier = new RegExp(`-?${suffix.slice(0, 3)}[a-z0-9]{4,8}(?=$|@)`);
  let renamed = body;
  for (const [name, value] of Object.entries(body)) {
    if (!uniqueMembers.test(name) || keeps(name) || typeof value !== 'string' || value.includes(suffix)) continue;
    // An accepted name may have the ending of an earlier request.
    const plain = value.replace(earlier, '');
    const spellings = [suffix, `-${suffix}`].map((ending) => addEnding(plain === '' ? value : plain, ending));
    const fitting = spellings.map((spelled) => ({ ...renamed, [name]: spelled })).find(isValid);
    renamed = fitting ?? renamed;
  }
  return renamed;
}

interface About {
  readonly tools: DataTools;
  readonly resources: Resources;
  readonly operation: Operation;
  readonly target: Target;
}

/** Members that a server fills in by itself. */
const ofServer =
  /^(_?id|uuid|guid|(date|user)_?(created|updated|modified))$|(created|updated|modified|deleted)(_?(at|by|on|date|time))?$|_(at|by)$|[a-z](At|By)$/;

export function isFilledByServer(member: string): boolean {
  return ofServer.test(member);
}

/** Whether a member's value has to exist on the server. */
export function hasToExist(name: string): boolean {
  return isIdName(name) || isCursorName(name) || /(^|[a-z_-])(token|code|cursor|etag)s?$/i.test(name);
}

/** Whether a member names an object other than the one that the operation writes. */
export function namesOther(operation: Operation, member: string): boolean {
  return hasToExist(member) && normal(member) !== 'id' && stemOf(member) !== nounOfBody(operation);
}

/**
 * Puts ids of existing objects into members that refer to other resources: `authorId`, `author: {id}`, `tag_ids: […]`. Members
 * that name the object itself get the value of the path.
 */
function withReferences(about: About, content: MediaContent, body: unknown): unknown {
  const { tools, operation } = about;
  if (content.schema === undefined) return body;
  const { schema } = content;
  const own = slotsOf(operation.path).at(-1);
  const noun = operation.method === 'post' ? nounOfBody(operation) : (own?.noun ?? '');
  const isValid = (value: unknown): boolean => tools.judge.accepts(schema, 'request', value);
  const visit = (part: unknown, path: readonly string[]): unknown => {
    if (path.length > 8) return part;
    if (Array.isArray(part)) return part.map((item, index) => (index < 5 ? visit(item, [...path, '0']) : item));
    if (isObject(part)) {
      return Object.fromEntries(Object.entries(part).map(([name, inner]) => [name, visit(inner, [...path, name])]));
    }
    if (!isScalar(part)) return part;
    return referenceAt(about, schema, path, noun, part) ?? part;
  };
  const changed = visit(body, []);
  if (operation.method === 'patch' && isObject(changed) && Object.keys(changed).length === 0) {
    return oneChange(about, content) ?? changed;
  }
  return isValid(changed) ? changed : body;
}

/** A PATCH body that changes one member: servers reject an empty one. */
function oneChange({ tools }: About, { schema }: MediaContent): unknown {
  if (schema === undefined) return undefined;
  const form = tools.judge.forms.request;
  const properties = form.declared(form.branch(form.at(schema)));
  const names = [...properties.keys()].filter((name) => !ofServer.test(name) && !hasToExist(name));
  const ranked = [...names.filter((name) => /name|title|description|label|comment|note|text/i.test(name)), ...names];
  for (const name of ranked.slice(0, 8)) {
    const property = properties.get(name);
    const value =
      property === undefined ? undefined : buildFrom(tools, property, { variant: 0, optional: false }, name);
    if (!isScalar(value) && typeof value !== 'boolean') continue;
    const body = { [name]: value };
    if (tools.judge.accepts(schema, 'request', body)) return body;
  }
  return undefined;
}

/** Adds a file for each binary part of a multipart body. */
function withFiles(tools: DataTools, content: MediaContent, value: unknown): Draft['body'] {
  if (!content.mediaType.startsWith('multipart/') || (value !== undefined && !isObject(value)))
    return { content, value };
  const form = tools.judge.forms.request;
  const shape = content.schema === undefined ? undefined : form.branch(form.at(content.schema));
  const parts = [...(shape?.properties.keys() ?? [])];
  const files = shape === undefined ? [] : parts.filter((name) => form.branch(form.property(shape, name)).isBinary);
  // If the schema declares no parts, the body is one file.
  const names = files.length === 0 && parts.length === 0 ? ['file'] : files;
  const withParts = { ...Object.fromEntries(names.map((name) => [name, `${tools.tag}\n`])), ...value };
  const types = names.map((name) => [
    name,
    { contentType: 'application/octet-stream', ...objectAt(content.encoding, name) },
  ]);
  const encoding = { ...content.encoding, ...Object.fromEntries(types) };
  return { content: { ...content, encoding }, value: withParts };
}

function nounOfBody({ path }: Operation): string {
  return normal(stemOf(path.split('/').findLast((segment) => segment !== '' && !segment.includes('{')) ?? ''));
}

/** @returns undefined if no resource is known for the place, or its value should stay */
function referenceAt(
  { tools, resources, operation, target }: About,
  schema: string,
  path: readonly string[],
  own: string,
  now: Scalar,
): Scalar | undefined {
  const names = path.filter((token) => !/^\d+$/.test(token));
  const name = names.at(-1) ?? '';
  const isRoot = names.length === 1;
  const inPath = slotsOf(operation.path);
  const sameName = isRoot ? inPath.find(({ parameter }) => normal(parameter) === normal(name)) : undefined;
  const last = inPath.at(-1);
  const isList = path.at(-1) !== name;
  const isOwnId = isRoot && !isList && (normal(name) === 'id' || (stemOf(name) === own && isIdName(name)));
  const found = alongSchema(tools.contract, schema, path);
  const fit = (value: unknown) => (isScalar(value) ? spell(tools, found?.schema, value) : undefined);
  if (sameName !== undefined || (isOwnId && operation.path.endsWith('}') && last !== undefined)) {
    return fit(memberOf(target.values, sameName?.parameter ?? last?.parameter ?? ''));
  }
  if (isOwnId) return undefined;
  const holder = names.at(-2) ?? '';
  const isOfHolder = normal(name) === 'id' && holder !== '';
  // `{"keys": […]}` sent to a collection names its own items.
  const isOfCollection = isRoot && isList && /^(ids|keys|uuids)$/i.test(name);
  const isNumber = found !== undefined && isNumeric(tools, found.schema);
  // `role: "…"` refers to `/roles` if the contract has that collection.
  const stem = stemOf(name);
  const isNoun = typeof now === 'string' && stem !== own && resources.mayKnow(stem) && resources.knows(stem);
  if (!isOfHolder && !hasToExist(name) && !isNumber && !isOfCollection && !isNoun) return undefined;
  const noun = isOfCollection ? nounOf(operation.path) : undefined;
  const about = isOfHolder ? holder : name;
  const known =
    isIdName(name) || isNumber || isOfCollection || isOfHolder || isNoun
      ? referencesFor(tools, resources, about, found?.schema, noun)
      : resources.mentions(normal(name)).flatMap(({ value }) => fit(value) ?? []);
  return known.some((value) => value === now) ? undefined : known[0];
}

function isNumeric({ judge: { forms } }: DataTools, schema: string): boolean {
  return forms.request.branch(forms.request.at(schema)).isInteger;
}
