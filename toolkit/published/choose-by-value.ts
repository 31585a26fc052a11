import { parseReference, valueAt } from '@lockstep/json/json-pointer';
import { listOperations } from '../contract/list-operations.ts';
import type { OpenApiDocument } from '../contract/openapi-document.ts';
import { follow } from './sample-request.ts';

type Json = Readonly<Record<string, unknown>>;

interface ValueRule {
  readonly at: string;
  readonly cases: readonly {
    readonly values: readonly unknown[];
    readonly schemas?: Readonly<Record<string, string>>;
  }[];
}

/** A member of the body itself: only by such a member can a schema distinguish the choices. */
const bodyMember = /^\$request\.body#\/([^/]+)$/;

/**
 * Writes the rules of `x-by-value` about a body as a choice that every tool reads: a `oneOf` with a branch for each set of values that require the
 * same schemas. A branch accepts only these values, and the other members that match them. The extension stays, because no schema can express
 * that text in a member is parsed before it is validated.
 *
 * Values that no case names get a branch of their own, if the member allows any. A schema that other places refer to stays unchanged there.
 *
 * If the member has an `x-exact`, each branch is a component, and a `discriminator` chooses it by the plain values: client generators create types
 * from no other choice. The given schema becomes the `x-exact` of the whole.
 *
 * @returns a copy, or the given document if no operation has such a rule
 */
export function chooseByValue(document: OpenApiDocument): OpenApiDocument {
  const rows = listOperations(document).filter(({ operation }) => readRules(operation).length > 0);
  if (rows.length === 0) return document;
  const copy = structuredClone(document) as OpenApiDocument;
  for (const { pointer } of rows) {
    const operation = valueAt(copy, parseReference(pointer)) as { requestBody: Json };
    // A shared body stays unchanged for other operations.
    if (operation.requestBody.$ref !== undefined)
      operation.requestBody = structuredClone(follow(copy, operation.requestBody));
    for (const rule of readRules(operation))
      for (const media of Object.values(operation.requestBody.content as object)) chooseFor(copy, media, rule);
  }
  return copy;
}

/** The rules of an operation that a schema can express. */
function readRules(operation: object): readonly ValueRule[] {
  const { 'x-by-value': rules = [], requestBody } = operation as {
    'x-by-value'?: readonly ValueRule[];
    requestBody?: object;
  };
  if (requestBody === undefined) return [];
  return rules.filter(({ at, cases }) => bodyMember.test(at) && cases.some(({ schemas }) => schemas !== undefined));
}

function chooseFor(document: OpenApiDocument, media: { schema?: Json }, rule: ValueRule): void {
  if (media.schema === undefined) return;
  const { $ref } = media.schema;
  const whole = follow(document, media.schema);
  const { description, properties = {} } = whole as {
    description?: string;
    properties?: Readonly<Record<string, Json>>;
  };
  const branches = makeBranches(document, whole, rule);
  const isPlain = 'x-exact' in follow(document, properties[readMember(rule)] ?? {});
  const named = isPlain && typeof $ref === 'string' ? nameBranches(document, $ref, branches) : undefined;
  const choice = {
    ...(description !== undefined && { description }),
    ...(named ?? { oneOf: branches.map(({ schema }) => schema) }),
    ...(isPlain && { 'x-exact': whole }),
  };
  if (typeof $ref !== 'string' || countReferences(document, $ref) > 1) {
    media.schema = choice;
    return;
  }
  const segments = parseReference($ref);
  const owner = valueAt(document, segments.slice(0, -1)) as Record<string, unknown>;
  owner[String(segments.at(-1))] = choice;
}

function readMember({ at }: ValueRule): string {
  return bodyMember.exec(at)?.[1] ?? '';
}

/** The schema of the body for values that require the same schemas. */
interface Branch {
  readonly schema: Json;
  readonly member: string;
  /** Members that the value decides, each with its component; undefined for values that no case names. */
  readonly dependents: ReadonlyMap<string, string> | undefined;
}

function makeBranches(document: OpenApiDocument, whole: Json, rule: ValueRule): readonly Branch[] {
  const {
    description: _,
    properties = {},
    required = [],
    ...kept
  } = whole as {
    readonly description?: string;
    readonly properties?: Readonly<Record<string, Json>>;
    readonly required?: readonly string[];
  };
  const { cases } = rule;
  const member = readMember(rule);
  const groups = Map.groupBy(cases, ({ schemas = {} }) => JSON.stringify(schemas));
  const branches = [...groups].map(([text, group]): Branch => {
    const schemas = JSON.parse(text) as Record<string, string>;
    const values = new Set(group.flatMap((one) => one.values.map(String)));
    const dependents = new Map(Object.entries(schemas).map(([pointer, $ref]) => [pointer.slice(1), $ref] as const));
    const needed = [...dependents].filter(([, $ref]) => needsMembers(document, $ref)).map(([name]) => name);
    const schema = {
      title: group.map((one) => one.values[0]).join(', '),
      ...kept,
      required: [...new Set([...required, ...needed])],
      properties: {
        ...properties,
        [member]: restrict(document, properties[member] ?? {}, values) ?? { enum: [...values] },
        ...Object.fromEntries(
          [...dependents].map(([name, $ref]) => [name, fit(document, properties[name] ?? {}, $ref)] as const),
        ),
      },
    };
    return { schema, member, dependents };
  });
  const named = new Set(cases.flatMap(({ values }) => values.map(String)));
  const others = exclude(document, properties[member] ?? {}, named);
  if (others === undefined) return branches;
  const schema = {
    title: 'any other',
    ...kept,
    required: [...required],
    properties: { ...properties, [member]: others },
  };
  return [...branches, { schema, member, dependents: undefined }];
}

/** The branches as components, chosen by the values of the member; undefined if it allows more values than the cases name. */
function nameBranches(document: OpenApiDocument, $ref: string, branches: readonly Branch[]): Json | undefined {
  const schemas = document.components?.schemas as Record<string, Json>;
  const mapping: Record<string, string> = {};
  const components: Record<string, Json> = {};
  for (const { schema, member, dependents } of branches) {
    const { title, properties, ...rest } = schema as { title: string; properties: Readonly<Record<string, Json>> };
    const values = properties[member]?.enum;
    if (dependents === undefined || !Array.isArray(values)) return undefined;
    const after = [...dependents.values()].map((one) => parseReference(one).at(-1));
    const name = `${parseReference($ref).at(-1)}With${after.join('And')}`;
    if (name in schemas) return undefined;
    for (const value of values) mapping[String(value)] = `#/components/schemas/${name}`;
    const kept = Object.entries(properties).filter(([key]) => !isEmptyObject(document, dependents.get(key)));
    components[name] = { description: `With the ${member} ${title}.`, ...rest, properties: Object.fromEntries(kept) };
  }
  Object.assign(schemas, components);
  const oneOf = Object.keys(components).map((name) => ({ $ref: `#/components/schemas/${name}` }));
  return { oneOf, discriminator: { propertyName: branches[0]?.member, mapping } };
}

/** Whether a component is an object without members, so that the member with its reference is omitted. */
function isEmptyObject(document: OpenApiDocument, $ref: string | undefined): boolean {
  if ($ref === undefined) return false;
  const { additionalProperties, properties = {} } = follow(document, { $ref });
  return additionalProperties === false && Object.keys(properties as object).length === 0;
}

/** The schema restricted to these values, compared as text; undefined if it allows none of them. */
function restrict(document: OpenApiDocument, given: Json, values: ReadonlySet<string>): Json | undefined {
  const schema = follow(document, given);
  const { example, 'x-exact': _, ...rest } = schema as Json & { readonly example?: unknown };
  const kept = typeof example !== 'object' && values.has(String(example)) ? { example } : {};
  if (Array.isArray(schema.enum)) {
    const left = schema.enum.filter((value) => values.has(String(value)));
    return left.length === 0 ? undefined : { ...rest, enum: left, example: left[0], ...kept };
  }
  const [keyword, branches] = Object.entries(schema).find(([name]) => name === 'anyOf' || name === 'oneOf') ?? [];
  if (keyword === undefined) {
    const left = valuesOfType(schema.type, values);
    return left.length === 0 ? undefined : { ...rest, enum: left };
  }
  const left = (branches as readonly Json[]).flatMap((branch) => restrict(document, branch, values) ?? []);
  if (left.length === 0) return undefined;
  return { ...rest, [keyword]: left, example: (left[0] as { readonly example?: unknown }).example, ...kept };
}

/** The schema without these values; undefined if it allows no other. */
function exclude(document: OpenApiDocument, given: Json, values: ReadonlySet<string>): Json | undefined {
  const schema = follow(document, given);
  const { example, 'x-exact': _, ...rest } = schema as Json & { readonly example?: unknown };
  const kept = example === undefined || values.has(String(example)) ? {} : { example };
  if (Array.isArray(schema.enum)) {
    const left = schema.enum.filter((value) => !values.has(String(value)));
    return left.length === 0 ? undefined : { ...rest, enum: left, ...kept };
  }
  const [keyword, branches] = Object.entries(schema).find(([name]) => name === 'anyOf' || name === 'oneOf') ?? [];
  if (keyword === undefined) return { ...rest, ...kept, not: { enum: valuesOfType(schema.type, values) } };
  const left = (branches as readonly Json[]).flatMap((branch) => exclude(document, branch, values) ?? []);
  return left.length === 0 ? undefined : { ...rest, [keyword]: left, ...kept };
}

/** The values in the given type: they are compared as text, so the integer 2 equals '2'. */
function valuesOfType(type: unknown, values: ReadonlySet<string>): readonly unknown[] {
  const types = type === undefined ? ['string', 'number'] : [type].flat();
  const hasNumbers = types.some((one) => one === 'integer' || one === 'number');
  const numbers = [...values].filter((value) => value.trim() !== '' && String(Number(value)) === value).map(Number);
  return [...(types.includes('string') ? values : []), ...(hasNumbers ? numbers : [])];
}

/** The dependent member: its schema as an object, and as text if the member allows text. */
function fit(document: OpenApiDocument, given: Json, $ref: string): Json {
  const { description, anyOf = [], example: _, ...alone } = follow(document, given);
  const variants = (anyOf as readonly Json[]).length > 0 ? (anyOf as readonly Json[]) : [alone];
  const text = variants.map((one) => follow(document, one)).find(({ type }) => type === 'string');
  if (text === undefined) return { ...(description !== undefined && { description }), $ref };
  const own = valueAt(document, parseReference($ref)) as Json;
  const example = own.example ?? assemble(document, own);
  return {
    ...(description !== undefined && { description }),
    anyOf: [
      { ...text, contentSchema: { $ref }, example: JSON.stringify(example) },
      variants.find((one) => one.$ref === $ref) ?? { $ref },
    ],
    example: JSON.stringify(example),
  };
}

/** The examples of all members together. */
function assemble(document: OpenApiDocument, schema: Json): Json {
  const members = Object.entries((schema.properties ?? {}) as Readonly<Record<string, Json>>);
  return Object.fromEntries(members.map(([name, member]) => [name, follow(document, member).example]));
}

/** Whether `{}` is invalid, as which an omitted member counts. */
function needsMembers(document: OpenApiDocument, $ref: string): boolean {
  const { required = [], minProperties = 0 } = valueAt(document, parseReference($ref)) as {
    readonly required?: readonly string[];
    readonly minProperties?: number;
  };
  return required.length > 0 || minProperties > 0;
}

function countReferences(document: OpenApiDocument, $ref: string): number {
  return JSON.stringify(document).split(`"$ref":${JSON.stringify($ref)}`).length - 1;
}
