// The parts of an accepted request that can have other valid values.
import type { SchemaNode } from '@lockstep/values/shape';
import type { MediaContent, Parameter } from '../contract/contract.ts';
import { isObject, joinPointer, memberOf, type Pointer, textAt } from '../contract/document.ts';
import { ruleOf } from '../contract/extensions.ts';
import type { Draft } from '../execute/exchange.ts';
import { type BoundaryClass, classesOf, type Described, schemasAlong, shapeFor } from './boundary-classes.ts';
import { hasValues } from './encode-body.ts';
import type { Change, RequestPart } from './request-parts.ts';
import { buildFrom, type DataTools, valueCandidates } from './value-candidates.ts';

/** A part with its classes; its value in the accepted request belongs to none of them. */
export interface Factor {
  readonly part: RequestPart;
  /** `query limit`, `body /name`. */
  readonly name: string;
  readonly classes: readonly BoundaryClass[];
}

const most = { depth: 6, factors: 80 } as const;

export interface FactorOptions {
  readonly draft: Draft;
  /**
   * Whether the value of a part with this name has to exist on the server, or the server chooses it.
   *
   * @param isOuter whether it is a member of the whole body
   */
  readonly isOfServer: (name: string, isOuter: boolean) => boolean;
}

/** The parts of an accepted request that can have other valid values. */
export function factorsOf(tools: DataTools, { draft, isOfServer }: FactorOptions): readonly Factor[] {
  const { operation, body } = draft;
  const chosen = operation.extensions.byValue.map(({ at }) => at.replace(/^\$request\.(query|header|body)[.#]/, ''));
  const factors: Factor[] = [];
  const add = (about: Described, part: RequestPart, found: readonly BoundaryClass[]): void => {
    const isFree = !chosen.includes(part.kind === 'body' ? part.at : about.leaf);
    if (found.length > 0 && isFree && factors.length < most.factors)
      factors.push({ part, name: about.name, classes: found });
  };
  for (const parameter of operation.parameters) {
    const { name, in: where, schema, pointer, required } = parameter;
    if (schema === undefined || !isFactor(tools, parameter, isOfServer)) continue;
    const sent = draft.parameters.find((one) => one.parameter === parameter);
    const about: Described = { tools, name: `${where} ${name}`, leaf: name, schema, where, value: sent?.value };
    const absence = !required && sent !== undefined ? [leftOut(about, pointer, 'required', true)] : [];
    const part: RequestPart = { kind: 'parameter', parameter };
    add(about, part, [...classesOf(about, tools.judge.forms.request.at(schema)), ...ofItems(about), ...absence]);
  }
  if (body === undefined || operation.body === undefined) return factors;
  const { content } = body;
  const media = { tools, name: 'media type', leaf: '', schema: '', where: 'body', value: undefined } as const;
  add(media, { kind: 'media type' }, mediaTypes(draft, operation.body.contents));
  if (content.schema === undefined || !hasValues(content)) return factors;
  const linked = linkedByRules(tools, content.schema);
  for (const { about, node, at, absence } of partsOf(tools, content.schema, body.value, isOfServer)) {
    if (linked.has(at)) continue;
    add(about, { kind: 'body', at }, [...classesOf(about, node), ...absence]);
  }
  return factors;
}

/** Classes of the items of a parameter: all items get the value, since the first may bound the second. */
function ofItems(about: Described): readonly BoundaryClass[] {
  const { tools, schema, leaf } = about;
  const form = tools.judge.forms.request;
  const list = about.value ?? buildFrom(tools, schema, {}, leaf);
  const item = form.item(shapeFor(tools, form.at(schema), list), 0);
  const pointer = form.pointerOf(item);
  if (!Array.isArray(list) || list.length === 0 || pointer === undefined || hasRule(tools, pointer)) return [];
  const below = { ...about, name: `${about.name}/0`, schema: pointer, value: list[0] };
  return classesOf(below, item).map(({ similar, make, ...one }) => ({
    ...one,
    make: (mark) => list.map(() => make(mark)),
    ...(similar !== undefined && { similar: (mark: string) => list.map(() => similar(mark)) }),
  }));
}

/** Optional parts that an accepted request lacks, each with a plain value. */
export function absentParts(tools: DataTools, { draft, isOfServer }: FactorOptions): readonly Change[] {
  const { operation, parameters, body } = draft;
  const ofParameters = operation.parameters
    .filter(
      (parameter) => isFactor(tools, parameter, isOfServer) && !parameters.some((one) => one.parameter === parameter),
    )
    .map((parameter): Change => {
      const value = valueCandidates(tools, parameter.schema, parameter.examples, parameter.name).at(0)?.value;
      return { part: { kind: 'parameter', parameter }, value };
    });
  const schema = body?.content.schema;
  const parts = schema === undefined ? [] : [...partsOf(tools, schema, body?.value, isOfServer)];
  const ofBody = parts
    .filter(({ about, at }) => about.value === undefined && at !== '')
    .map(({ about, at }): Change => {
      const value = buildFrom(tools, about.schema, { optional: true, examples: true }, about.leaf);
      return { part: { kind: 'body', at }, value };
    });
  return [...ofParameters, ...ofBody].filter(({ value }) => value !== undefined);
}

/** Whether a parameter has other values that need nothing on the server. */
function isFactor(
  tools: DataTools,
  { name, in: where, schema, rule, mediaType }: Parameter,
  isOfServer: FactorOptions['isOfServer'],
) {
  if (where === 'path' || (where === 'header' && /^if-/i.test(name)) || isOfServer(name, false)) return false;
  return schema !== undefined && rule === undefined && mediaType === undefined && !hasRule(tools, schema);
}

interface PartOfBody {
  readonly about: Described;
  readonly node: SchemaNode;
  readonly at: string;
  readonly absence: readonly BoundaryClass[];
}

/** The parts of a body: those that it has, the first item of each list, and optional members that it lacks. */
function* partsOf(
  tools: DataTools,
  schema: Pointer,
  value: unknown,
  isOfServer: FactorOptions['isOfServer'],
): Generator<PartOfBody> {
  const form = tools.judge.forms.request;
  const visit = function* (part: PartOfBody, depth: number): Generator<PartOfBody> {
    yield part;
    const { about, node, at } = part;
    if (depth >= most.depth || about.value === undefined) return;
    const shape = shapeFor(tools, node, about.value);
    // In a list of at least two, as in a range, the first item may bound the second.
    if (Array.isArray(about.value) && about.value.length > 0 && shape.minItems < 2) {
      const item = form.item(shape, 0);
      const pointer = form.pointerOf(item);
      if (pointer === undefined || hasRule(tools, pointer)) return;
      const below = { ...about, schema: pointer, value: about.value[0], name: `body ${at}/0` };
      yield* visit({ about: below, node: item, at: `${at}/0`, absence: [] }, depth + 1);
    }
    if (!isObject(about.value)) return;
    for (const [leaf, pointer] of form.declared(shape)) {
      const inner = form.property(shape, leaf);
      const isFixed = isOfServer(leaf, depth === 0) || form.common(inner).isLeftOut || hasRule(tools, pointer);
      if (isFixed || inner.schemas.includes(false)) continue;
      const own = memberOf(about.value, leaf);
      const below: Described = { ...about, leaf, schema: pointer, value: own, name: `body ${joinPointer(at, leaf)}` };
      // An object without any member is rare, and a PATCH without one changes nothing.
      const mayBeAbsent = own !== undefined && !shape.required.has(leaf) && Object.keys(about.value).length > 1;
      const isListed = [...schemasAlong(tools, about.schema)].some(
        ({ value: one }) => memberOf(one, 'required') !== undefined,
      );
      const absence = mayBeAbsent ? [leftOut(below, pointer, 'required', isListed)] : [];
      yield* visit({ about: below, node: inner, at: joinPointer(at, leaf), absence }, depth + 1);
    }
  };
  const root: Described = { tools, name: 'body', leaf: '', schema, where: 'body', value };
  yield* visit({ about: root, node: form.at(schema), at: '', absence: [] }, 0);
}

function leftOut({ name }: Described, pointer: Pointer, keyword: string, isNamed: boolean): BoundaryClass {
  return { name: `${name}, left out`, pointer, keyword, how: 'left out', make: () => undefined, isNamed };
}

/** The other media types of a body; the value has to be valid there too. */
function mediaTypes({ body }: Draft, contents: readonly MediaContent[]): readonly BoundaryClass[] {
  return contents
    .filter((content) => content !== body?.content && hasValues(content))
    .map((content) => ({
      ...{
        name: `media type ${content.mediaType}`,
        pointer: content.pointer,
        keyword: 'content',
        how: 'listed media type',
      },
      ...{ make: () => content, isNamed: true },
    }));
}

function hasRule(tools: DataTools, schema: Pointer): boolean {
  return [...schemasAlong(tools, schema)].some(({ value }) => ruleOf(value) !== undefined);
}

/** Members of a body from which rules compute others. */
function linkedByRules(tools: DataTools, schema: Pointer): ReadonlySet<string> {
  const rules = [...schemasAlong(tools, schema)].flatMap(({ value }) =>
    Object.values(isObject(value.properties) ? value.properties : {}).map(ruleOf),
  );
  return new Set(rules.flatMap((rule) => (isObject(rule) ? (textAt(rule.good, 'from') ?? []) : [])));
}
