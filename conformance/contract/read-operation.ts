import type { Body, Method, Operation, Parameter } from './contract.ts';
import { readOperationExtensions } from './extensions.ts';
import { arrayAt, isObject, type JsonObject, textAt } from './json.ts';
import { childOf, follow, type Place, type ReportPart } from './place.ts';
import { readContents } from './read-contents.ts';
import { readParameter } from './read-parameter.ts';
import { readResponses } from './read-responses.ts';
import { readServers } from './read-servers.ts';

interface Given {
  readonly root: JsonObject;
  readonly path: string;
  readonly item: Place;
  readonly method: Method;
  readonly report: ReportPart;
}

/** One Operation Object with everything that its path and the document add to it. */
export function readOperation({ root, path, item, method, report }: Given): Operation {
  const place = childOf(item, method);
  const value = isObject(place.value) ? place.value : {};
  const id = textAt(value, 'operationId') ?? `${method.toUpperCase()} ${path}`;
  return {
    id,
    method,
    path,
    pointer: place.pointer,
    tags: arrayAt(value, 'tags').map(String),
    ...readServers(root, [value, item.value]),
    parameters: readParameters(root, path, [item, place], report),
    body: readBody(root, childOf(place, 'requestBody'), report),
    responses: readResponses(root, childOf(place, 'responses'), report),
    security: readSecurity(value.security ?? root.security),
    extensions: readOperationExtensions(value),
  };
}

function readParameters(root: JsonObject, path: string, holders: readonly Place[], report: ReportPart): Parameter[] {
  // An operation's own parameter replaces the path's of the same name and place.
  const found = new Map<string, Parameter>();
  for (const holder of holders) {
    arrayAt(holder.value, 'parameters').forEach((_, index) => {
      const place = follow(root, childOf(holder, 'parameters', index), report);
      const parameter = place === undefined ? undefined : readParameter(root, place, report);
      if (parameter !== undefined) found.set(`${parameter.in} ${parameter.name.toLowerCase()}`, parameter);
    });
  }
  const last = holders.at(-1)?.pointer ?? '#';
  for (const [, name = ''] of path.matchAll(/\{([^}]+)\}/g)) {
    if ([...found.values()].some((parameter) => parameter.in === 'path' && parameter.name === name)) continue;
    report(last, `{${name}} of the path is not declared as a parameter.`, `Declare ${name} with in: path.`);
    const any = {
      style: 'simple',
      explode: false,
      allowReserved: false,
      mediaType: undefined,
      examples: [],
      rule: undefined,
    };
    found.set(`path ${name}`, { ...any, name, in: 'path', required: true, pointer: last, schema: undefined });
  }
  return [...found.values()];
}

function readBody(root: JsonObject, place: Place, report: ReportPart): Body | undefined {
  if (place.value === undefined) return undefined;
  const body = follow(root, place, report);
  if (body === undefined || !isObject(body.value)) return undefined;
  const contents = readContents(root, childOf(body, 'content'), report);
  return { pointer: body.pointer, required: body.value.required === true, contents };
}

function readSecurity(value: unknown): Operation['security'] {
  return (Array.isArray(value) ? value : [])
    .filter(isObject)
    .map((entry) => Object.fromEntries(Object.keys(entry).map((name) => [name, arrayAt(entry, name).map(String)])));
}
