import type { MediaContent, Operation, Parameter } from '../contract/contract.ts';
import { placeAt } from '../contract/document.ts';
import { isObject, memberOf } from '../contract/json.ts';
import { followRecipe } from '../data/apply-rules.ts';
import type { Draft } from '../data/draft.ts';
import { rankContents } from '../data/encode-body.ts';
import { flattenSchema } from '../data/flatten-schema.ts';
import { atOrBefore, type LazyList } from '../data/lazy-list.ts';
import { bodyLadder, type Candidate, type DataTools, valueLadder } from '../data/value-ladder.ts';
import { referencesFor, spell, type Target } from '../resources/find-targets.ts';
import { alongSchema, applyToBody, applyToParameter, freshOf, type Lessons } from '../resources/lessons.ts';
import { isScalar, type Scalar } from '../resources/read-items.ts';
import type { Resources } from '../resources/resources.ts';
import { isIdName, normal, slotsOf, stemOf } from '../resources/slots.ts';

/** Which of the ways to write a valid request. */
export interface Way {
  /** How far up the ladder of values: examples, these in the present, polite values, other branches. */
  readonly rung: number;
  /** How many names have to be others than before. */
  readonly fresh: number;
  /** Which of the media types that a body may have. */
  readonly content: number;
  readonly hasBody: boolean;
  /** With the parameters that may be left out. */
  readonly isComplete: boolean;
}

export const plainWay: Way = { rung: 0, fresh: 0, content: 0, hasBody: true, isComplete: false };

/** Writes valid requests of one operation. */
export interface Drafter {
  /** Whether something is sent differently there. */
  readonly hasRung: (way: Way) => boolean;
  readonly contents: number;
  /** @returns undefined where something that is required could not be built */
  readonly draft: (target: Target, way: Way, resources: Resources, lessons: Lessons) => Draft | undefined;
}

export function createDrafter(tools: DataTools, operation: Operation): Drafter {
  const contents = rankContents(operation.body?.contents ?? []);
  const ladders = new Map<string, LazyList<Candidate>>();
  const ladder = (fresh: number, key: string, create: (tools: DataTools) => LazyList<Candidate>) => {
    const name = `${fresh} ${key}`;
    const known = ladders.get(name) ?? create(freshTools(tools, fresh));
    ladders.set(name, known);
    return known;
  };
  const ladderOfBody = ({ content, fresh }: Way): LazyList<Candidate> => {
    const chosen = contents[content];
    return chosen === undefined
      ? { at: () => undefined }
      : ladder(fresh, `body ${content}`, (own) => bodyLadder(own, chosen));
  };
  const parameterLadder = (parameter: Parameter, { fresh }: Way): LazyList<Candidate> =>
    ladder(fresh, `${parameter.in} ${parameter.name}`, (own) => valueLadder(own, parameter.schema, parameter.examples));
  const required = operation.parameters.filter((parameter) => parameter.required);

  return {
    contents: contents.length,
    hasRung: (way) =>
      (way.hasBody && ladderOfBody(way).at(way.rung) !== undefined) ||
      required.some((parameter) => parameterLadder(parameter, way).at(way.rung) !== undefined),
    draft: (target, way, resources, lessons) => {
      const references = (name: string, schema: string | undefined) => referencesFor(tools, resources, name, schema);
      const teaching = { tools, referencesFor: references, count: way.fresh };
      const values: Record<string, unknown> = {};
      for (const parameter of operation.parameters) {
        const isChosen = parameter.required || (way.isComplete && parameter.in === 'query');
        const polite = (): unknown => {
          const at = atOrBefore(parameterLadder(parameter, way), parameter.required ? way.rung : 0)?.value;
          return parameter.required ? at : (references(parameter.name, parameter.schema)[0] ?? at);
        };
        const value = isChosen ? chooseValue(tools, parameter, target, polite, values) : undefined;
        const isTold = memberOf(target.values, parameter.name) !== undefined;
        const taught = isTold ? value : applyToParameter(teaching, parameter, value, lessons);
        if (taught === undefined && parameter.required) return undefined;
        if (taught !== undefined) values[parameter.name] = taught;
      }
      const parameters = operation.parameters
        .filter(({ name }) => Object.hasOwn(values, name))
        .map((parameter) => ({ parameter, value: values[parameter.name] }));
      const content = way.hasBody ? contents[way.content] : undefined;
      const polite = content === undefined ? undefined : atOrBefore(ladderOfBody(way), way.rung);
      if (polite === undefined && operation.body?.required === true) return undefined;
      const label = labelOf(operation, target, polite?.label, way, lessons);
      if (content === undefined || polite === undefined) return { operation, parameters, body: undefined, label };
      const about = { tools, resources, operation, target };
      const linked = withReferences(
        about,
        content,
        way.fresh > 0 ? freshen(tools, content, polite.value, way.fresh) : polite.value,
      );
      const value = applyToBody(teaching, content, linked, lessons);
      return { operation, parameters, body: { content, value }, label };
    },
  };
}

/** Why no request could be built. */
export function explainGap({ body }: Operation): string {
  const types = body?.contents.map(({ mediaType }) => mediaType).join(', ');
  return types === undefined
    ? 'no valid value was found for a required parameter'
    : `no valid body could be built (${types})`;
}

function labelOf(operation: Operation, target: Target, body: string | undefined, way: Way, lessons: Lessons): string {
  const about = operation.path.includes('{') ? target.label : undefined;
  const parts = [
    about,
    body,
    lessons.size > 0 ? 'as refusals asked' : undefined,
    way.fresh > 0 ? 'under another name' : undefined,
    way.isComplete ? 'with what may be left out' : undefined,
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
  polite: () => unknown,
  chosen: Readonly<Record<string, unknown>>,
): unknown {
  const drawn = memberOf(target.values, parameter.name);
  const spelled = isScalar(drawn) ? spell(tools, parameter.schema, drawn) : undefined;
  if (spelled !== undefined) return spelled;
  const read = (from: string): unknown => memberOf(chosen, from.replace(/^\$request\.(path|query|header)\./, ''));
  const made = parameter.schema === undefined ? undefined : followRecipe(tools, parameter.rule, parameter.schema, read);
  return made ?? polite();
}

/** Names by which a server may tell one object from another. */
const namesOfObjects =
  /^(.*[_-]?(name|title|slug|key|code|email|e-mail|login|username|label|id|uuid|identifier|handle|number|sku|isbn))$/i;

/** The body with other names: a second object of the same name may not be wanted. */
function freshen(tools: DataTools, content: MediaContent, body: unknown, fresh: number): unknown {
  if (!isObject(body)) return body;
  const isValid = (value: unknown): boolean =>
    content.schema === undefined || tools.judge.judge(content.schema, 'request', value).length === 0;
  const suffix = freshOf(tools, fresh);
  let made = body;
  for (const [name, value] of Object.entries(body)) {
    if (!namesOfObjects.test(name) || typeof value !== 'string' || value.includes(suffix)) continue;
    const spellings = value.includes('@') ? [`${suffix}.${value}`] : [`${value}-${suffix}`, `${value}${suffix}`];
    const fitting = spellings.map((spelled) => ({ ...made, [name]: spelled })).find(isValid);
    made = fitting ?? made;
  }
  return made;
}

interface About {
  readonly tools: DataTools;
  readonly resources: Resources;
  readonly operation: Operation;
  readonly target: Target;
}

/**
 * The body with ids of things that exist where it speaks of other resources: `authorId`, `author: {id}`, `tag_ids: […]`. What
 * names the object itself says what the path says.
 */
function withReferences(about: About, content: MediaContent, body: unknown): unknown {
  const { tools, operation } = about;
  if (content.schema === undefined) return body;
  const start = placeAt(tools.contract.root, content.schema);
  const own = slotsOf(operation.path).at(-1);
  const noun = operation.method === 'post' ? nounOfBody(operation) : (own?.noun ?? '');
  let made = body;
  const visit = (part: unknown, path: readonly string[]): unknown => {
    if (path.length > 5) return part;
    if (Array.isArray(part)) return part.map((item, index) => (index < 5 ? visit(item, [...path, '0']) : item));
    if (isObject(part)) {
      return Object.fromEntries(Object.entries(part).map(([name, inner]) => [name, visit(inner, [...path, name])]));
    }
    return isScalar(part) ? (referenceAt(about, start.pointer, path, noun, part) ?? part) : part;
  };
  const changed = visit(body, []);
  if (tools.judge.judge(content.schema, 'request', changed).length === 0) made = changed;
  return made;
}

function nounOfBody({ path }: Operation): string {
  return normal(stemOf(path.split('/').findLast((segment) => segment !== '' && !segment.includes('{')) ?? ''));
}

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
  const told = isRoot ? inPath.find(({ parameter }) => normal(parameter) === normal(name)) : undefined;
  const last = inPath.at(-1);
  const isOwnId = isRoot && (normal(name) === 'id' || stemOf(name) === own);
  const found = alongSchema(tools.contract, placeAt(tools.contract.root, schema), path);
  if (told !== undefined || (isOwnId && operation.path.endsWith('}') && last !== undefined && isIdName(name))) {
    const value = memberOf(target.values, told?.parameter ?? last?.parameter ?? '');
    return isScalar(value) ? spell(tools, found?.schema, value) : undefined;
  }
  if (isOwnId) return undefined;
  const holder = names.at(-2) ?? '';
  const isOfHolder = normal(name) === 'id' && holder !== '';
  const isNumber = found !== undefined && isNumeric(tools, found.schema);
  if (!isOfHolder && !isIdName(name) && !isNumber) return undefined;
  const about = isOfHolder ? holder : name;
  const known = referencesFor(tools, resources, about, found?.schema);
  return known.some((value) => value === now) ? undefined : known[0];
}

function isNumeric({ contract }: DataTools, schema: string): boolean {
  return flattenSchema(contract.root, placeAt(contract.root, schema), 0).types?.includes('integer') === true;
}
