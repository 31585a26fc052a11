import type { SchemaNode } from '@lockstep/values/shape';
import type { Contract, Operation, Parameter } from '../contract/contract.ts';
import { isObject, type Pointer, type Seen } from '../contract/document.ts';
import { normal } from '../resources/slots.ts';
import { type CanonicalForm, requestForm } from '../schema/canonical.ts';
import type { Place as RequestPlace } from './constraints.ts';
import type { Complaint } from './dialects.ts';

const partNames: Readonly<Record<string, readonly Parameter['in'][] | 'body'>> = {
  body: 'body',
  requestbody: 'body',
  payload: 'body',
  json: 'body',
  dto: 'body',
  form: 'body',
  query: ['query'],
  querystring: ['query'],
  queryparams: ['query'],
  querystringparameters: ['query'],
  path: ['path'],
  pathparams: ['path'],
  params: ['path', 'query'],
  header: ['header'],
  headers: ['header'],
  cookie: ['cookie'],
  cookies: ['cookie'],
};

/** The place of the request that a complaint is about, by names of the contract and of the request. */
export function findPlace(
  contract: Contract,
  operation: Operation,
  seen: Seen,
  { path, rules }: Complaint,
): RequestPlace | undefined {
  const [first, ...rest] = path;
  if (first === undefined) return undefined;
  const part = partNames[normal(first)];
  const isNamed = part !== undefined && rest.length > 0;
  const tokens = isNamed ? rest : path;
  const places = part === undefined || part === 'body' ? undefined : part;
  const last = tokens.at(-1) ?? '';
  const parameter = operation.parameters.find(
    (candidate) => normal(candidate.name) === normal(last) && (places === undefined || places.includes(candidate.in)),
  );
  const inBody = findInBody(contract, operation, seen, tokens);
  const isBodyFirst = part === 'body' || tokens.length > 1 || parameter === undefined;
  if (isBodyFirst && inBody !== undefined) return inBody;
  if (parameter !== undefined) return { kind: 'parameter', parameter };
  if (inBody !== undefined) return inBody;
  // A 404 asks for no member, and `loc: ["body"]` is the whole body.
  const isWanted =
    part === undefined && rules.some(({ kind }) => kind === 'required') && places === undefined && seen.status !== 404;
  // The server requires a member that the contract does not declare.
  return isWanted && isObject(seen.requestBody) && tokens.length === 1 && /^[\w$-]{1,60}$/.test(last)
    ? { kind: 'body', tokens, schema: undefined }
    : undefined;
}

function findInBody(
  contract: Contract,
  operation: Operation,
  { requestBody }: Seen,
  tokens: readonly string[],
): RequestPlace | undefined {
  const schema = bodySchemaOf(operation);
  if (schema === undefined) return undefined;
  for (let skip = 0; skip < tokens.length; skip += 1) {
    const found = alongSchema(contract, schema, tokens.slice(skip));
    if (found !== undefined) return { kind: 'body', ...found };
  }
  const last = normal(tokens.at(-1) ?? '');
  const deep = pathsIn(requestBody).find((path) => normal(path.at(-1) ?? '') === last);
  const found = deep === undefined ? undefined : alongSchema(contract, schema, deep);
  return deep === undefined ? undefined : { kind: 'body', tokens: deep, schema: found?.schema };
}

export function bodySchemaOf({ body }: Operation): Pointer | undefined {
  return body?.contents.find(({ schema }) => schema !== undefined)?.schema;
}

/** Follows names through properties and items, regardless of case and separators. */
export function alongSchema(
  contract: Contract,
  start: Pointer,
  names: readonly string[],
): { readonly tokens: readonly string[]; readonly schema: Pointer } | undefined {
  const form = requestForm(contract);
  let place: At = { node: form.at(start), schema: start };
  const tokens: string[] = [];
  for (const name of names) {
    const step = stepInto(form, place.node, name);
    if (step === undefined) return undefined;
    tokens.push(...step.tokens);
    place = step;
  }
  return { tokens, schema: place.schema };
}

interface At {
  readonly node: SchemaNode;
  readonly schema: Pointer;
}

function stepInto(form: CanonicalForm, node: SchemaNode, name: string): (At & { tokens: string[] }) | undefined {
  for (const shape of form.shapes(node)) {
    const item = form.item(shape, 0);
    const schema = form.pointerOf(item);
    if (schema !== undefined) {
      if (/^\d+$/.test(name)) return { tokens: [name], node: item, schema };
      const inner = stepInto(form, item, name);
      if (inner !== undefined) return { ...inner, tokens: ['0', ...inner.tokens] };
    }
    const declared = [...form.declared(shape)];
    const found =
      declared.find(([known]) => known === name) ?? declared.find(([known]) => normal(known) === normal(name));
    if (found !== undefined) return { tokens: [found[0]], node: form.property(shape, found[0]), schema: found[1] };
  }
  return undefined;
}

/** Paths of all members of a value, of lists those of the first item. */
export function pathsIn(value: unknown): string[][] {
  const found: string[][] = [];
  const walk = (part: unknown, path: readonly string[]): void => {
    if (found.length > 300 || path.length > 6) return;
    if (path.length > 0) found.push([...path]);
    if (Array.isArray(part)) walk(part[0], [...path, '0']);
    else if (isObject(part)) for (const [name, inner] of Object.entries(part)) walk(inner, [...path, name]);
  };
  walk(value, []);
  return found.filter((path) => path.at(-1) !== '0');
}

export function isThere(about: RequestPlace, seen: Seen): boolean {
  if (about.kind === 'body') return valueAt(seen.requestBody, about.tokens) !== undefined;
  const { name, in: where } = about.parameter;
  if (where === 'query') return seen.query[name] !== undefined;
  if (where === 'header') return seen.requestHeaders[name.toLowerCase()] !== undefined;
  return where === 'path';
}

export function valueAt(value: unknown, tokens: readonly string[]): unknown {
  return tokens.reduce<unknown>((part, token) => {
    if (Array.isArray(part)) return part[Number(token)];
    return isObject(part) && Object.hasOwn(part, token) ? part[token] : undefined;
  }, value);
}
