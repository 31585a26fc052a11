import type {
  Body,
  HeaderObject,
  Link,
  MediaContent,
  Method,
  Operation,
  Parameter,
  ResponseObject,
} from './contract.ts';
import {
  arrayAt,
  childOf,
  follow,
  isObject,
  type JsonObject,
  joinPointer,
  memberOf,
  objectAt,
  objectsIn,
  type Place,
  type Pointer,
  type ReportPart,
  textAt,
} from './document.ts';
import { readErrorCodes, readInvalidStatus, readOperationExtensions } from './extensions.ts';
import { readServers } from './servers.ts';

/** Default styles (OpenAPI 3.1, Parameter Object). */
const defaultStyles = { path: 'simple', query: 'form', header: 'simple', cookie: 'form' } as const;

/**
 * Header parameters that do not carry data. OpenAPI ignores those of content negotiation and security. Headers that frame or route a
 * message follow from the message itself (RFC 9110, 7.2, 7.6.1, 8.6, 10.1.1).
 */
const ignoredHeaders: ReadonlySet<string> = new Set([
  ...['accept', 'content-type', 'authorization'],
  ...['content-length', 'transfer-encoding', 'connection', 'keep-alive', 'te', 'trailer', 'upgrade', 'host', 'expect'],
]);

interface Given {
  readonly root: JsonObject;
  readonly path: string;
  readonly item: Place;
  readonly method: Method;
  readonly report: ReportPart;
  /** Ids of the operations read so far. */
  readonly ids: Set<string>;
}

/** Reads an Operation Object together with inherited parts of its path and document. */
export function readOperation({ root, path, item, method, report, ids }: Given): Operation {
  const place = childOf(item, method);
  const value = isObject(place.value) ? place.value : {};
  const id = chooseId(ids, [textAt(value, 'operationId'), `${method.toUpperCase()} ${path}`, place.pointer]);
  const wanted = textAt(value, 'operationId');
  if (wanted !== undefined && wanted !== id) {
    const rule = 'OpenAPI, Operation Object: the operationId MUST be unique among all operations';
    const message = `operationId '${wanted}' is not unique; this operation is reported as '${id}'.`;
    report(joinPointer(place.pointer, 'operationId'), message, 'Give each operation its own operationId.', rule);
  }
  return {
    id,
    method,
    path,
    pointer: place.pointer,
    tags: arrayAt(value, 'tags').map(String),
    isDeprecated: value.deprecated === true,
    ...readServers(root, [value, item.value]),
    parameters: readParameters(root, path, [item, place], report),
    body: readBody(root, childOf(place, 'requestBody'), report),
    responses: readResponses(root, childOf(place, 'responses'), report),
    security: readSecurity(root, place, report),
    extensions: readOperationExtensions(value),
  };
}

/** The first id that no other operation has. */
function chooseId(ids: Set<string>, wishes: readonly (string | undefined)[]): string {
  const id = wishes.find((wish) => wish !== undefined && !ids.has(wish)) ?? '';
  ids.add(id);
  return id;
}

function readParameters(root: JsonObject, path: string, holders: readonly Place[], report: ReportPart): Parameter[] {
  // A parameter of the operation replaces one of the path with the same name and place.
  const found = new Map<string, Parameter>();
  let isUnread = false;
  for (const holder of holders) {
    const own = new Set<string>();
    arrayAt(holder.value, 'parameters').forEach((_, index) => {
      const place = follow(root, childOf(holder, 'parameters', index), report);
      isUnread ||= place === undefined;
      const parameter = place === undefined ? undefined : readParameter(root, place, report);
      if (parameter === undefined) return;
      const { name, in: where } = parameter;
      const key = `${where} ${where === 'header' ? name.toLowerCase() : name}`;
      if (own.has(key)) {
        const rule = 'OpenAPI, Operation Object: the list MUST NOT include duplicated parameters';
        const pointer = joinPointer(holder.pointer, 'parameters', index);
        report(pointer, `${name} in ${where} is declared twice; the last one counts.`, 'Remove one.', rule);
      }
      own.add(key);
      found.set(key, parameter);
    });
  }
  const last = holders.at(-1)?.pointer ?? '#';
  const named = new Set([...path.matchAll(/\{([^}]+)\}/g)].map(([, name = '']) => name));
  for (const name of named) {
    if (found.has(`path ${name}`)) continue;
    const rule = 'OpenAPI, Path Templating: each template expression in the path MUST correspond to a path parameter';
    // A reference that cannot be read may declare it.
    if (!isUnread)
      report(last, `The path parameter {${name}} is not declared.`, `Declare ${name} with in: path.`, rule);
    const any = {
      style: 'simple',
      explode: false,
      allowReserved: false,
      mediaType: undefined,
      examples: [],
      rule: undefined,
      invalidStatus: undefined,
    };
    found.set(`path ${name}`, { ...any, name, in: 'path', required: true, pointer: last, schema: undefined });
  }
  return [...found.values()].filter(({ name, in: where, pointer }) => {
    if (where !== 'path' || named.has(name)) return true;
    const rule = 'OpenAPI, Parameter Object: in "path", the name MUST correspond to a template expression in the path';
    const fix = `Write {${name}} into the path, or remove the parameter.`;
    report(pointer, `The path ${path} has no parameter ${name}.`, fix, rule);
    return false;
  });
}

function readBody(root: JsonObject, place: Place, report: ReportPart): Body | undefined {
  if (place.value === undefined) return undefined;
  const body = follow(root, place, report);
  if (body === undefined || !isObject(body.value)) return undefined;
  const contents = readContents(root, childOf(body, 'content'), report);
  if (contents.length === 0) {
    const rule = 'OpenAPI, Request Body Object: content is REQUIRED';
    report(body.pointer, 'The request body has no media type.', 'Describe one under content.', rule);
  }
  return { pointer: body.pointer, required: body.value.required === true, contents };
}

function readSecurity(root: JsonObject, place: Place, report: ReportPart): Operation['security'] {
  const own = childOf(place, 'security');
  const { value, pointer } = own.value === undefined ? { value: root.security, pointer: '#/security' } : own;
  const declared = objectAt(root.components, 'securitySchemes');
  return (Array.isArray(value) ? value : []).filter(isObject).map((entry) => {
    for (const name of Object.keys(entry).filter((name) => !Object.hasOwn(declared, name))) {
      const rule = 'OpenAPI, Security Requirement Object: each name MUST correspond to a declared security scheme';
      report(pointer, `Security scheme ${name} is not declared.`, 'Declare it under components.securitySchemes.', rule);
    }
    const inHeader = Map.groupBy(Object.keys(entry), (name) => headerOf(declared[name]));
    for (const [header, [first, second]] of inHeader) {
      if (header === undefined || second === undefined) continue;
      const message = `Security schemes ${first} and ${second} share the header ${header}: requests have the credentials of one.`;
      report(pointer, message, 'Write them as alternatives, or give one of them another place.');
    }
    return Object.fromEntries(Object.keys(entry).map((name) => [name, arrayAt(entry, name).map(String)]));
  });
}

/** The header of a security scheme, in lower case; undefined for a scheme in another place. */
function headerOf(scheme: unknown): string | undefined {
  const type = textAt(scheme, 'type');
  if (type === 'apiKey') return textAt(scheme, 'in') === 'header' ? textAt(scheme, 'name')?.toLowerCase() : undefined;
  return type === 'http' || type === 'oauth2' || type === 'openIdConnect' ? 'authorization' : undefined;
}

function readParameter(root: JsonObject, place: Place, report: ReportPart): Parameter | undefined {
  const value = isObject(place.value) ? place.value : {};
  const name = textAt(value, 'name');
  const where = textAt(value, 'in');
  if (name === undefined || !isPlace(where)) {
    const rule = 'OpenAPI, Parameter Object: name and in are REQUIRED, in is query, header, path or cookie';
    const fix = 'Write name, and in: path, query, header or cookie.';
    report(place.pointer, 'The parameter has no name, or no valid value of `in`.', fix, rule);
    return undefined;
  }
  if (where === 'header' && ignoredHeaders.has(name.toLowerCase())) return undefined;
  const style = textAt(value, 'style') ?? defaultStyles[where];
  const content = readContents(root, childOf(place, 'content'), report)[0];
  if ((value.schema === undefined) === (content === undefined)) {
    const rule = 'OpenAPI, Parameter Object: a parameter MUST contain either a schema property, or a content property';
    const message = `${name} has ${content === undefined ? 'neither schema nor' : 'both schema and'} content.`;
    report(place.pointer, message, 'Declare one of the two.', rule);
  }
  if (where === 'path' && value.required !== true) {
    const rule = 'OpenAPI, Parameter Object: in "path", required is REQUIRED and its value MUST be true';
    report(place.pointer, `The path parameter ${name} is not required.`, 'Write required: true.', rule);
  }
  return {
    name,
    in: where,
    required: where === 'path' || value.required === true,
    style,
    explode: typeof value.explode === 'boolean' ? value.explode : style === 'form',
    allowReserved: value.allowReserved === true,
    ...(value.allowEmptyValue === true && { allowEmptyValue: true }),
    pointer: place.pointer,
    schema: content?.schema ?? schemaOf(place),
    mediaType: content?.mediaType,
    examples: [...readExamples(root, place, report), ...(content?.examples ?? [])],
    rule: value['x-rule'],
    invalidStatus: readInvalidStatus(value),
  };
}

function isPlace(where: string | undefined): where is Parameter['in'] {
  return where !== undefined && Object.hasOwn(defaultStyles, where);
}

function readResponses(root: JsonObject, place: Place, report: ReportPart): ResponseObject[] {
  const names = Object.keys(isObject(place.value) ? place.value : {}).filter((name) => !name.startsWith('x-'));
  if (isObject(place.value) && names.length === 0) {
    const rule = 'OpenAPI, Responses Object: it MUST contain at least one response code';
    report(place.pointer, 'No response is described.', 'Describe at least one status, or default.', rule);
  }
  return names
    .filter((status) => {
      if (/^([1-5](\d\d|xx)|default)$/i.test(status)) return true;
      const rule = 'OpenAPI, Responses Object: a name MUST be a status, a range from 1XX to 5XX, or default';
      const fix = 'Write a status such as 200, a range such as 4XX, or default.';
      report(joinPointer(place.pointer, status), `${status} is not a status.`, fix, rule);
      return false;
    })
    .flatMap((status): ResponseObject[] => {
      const response = follow(root, childOf(place, status), report);
      // The contract lists the status of a reference that cannot be read; any content may belong to it.
      if (response === undefined) {
        const pointer = joinPointer(place.pointer, status);
        const any = { mediaType: '*/*', pointer, schema: undefined, examples: [], encoding: {} };
        return [{ status, pointer, headers: [], contents: [any], links: [], errorCodes: [] }];
      }
      if (!isObject(response.value)) return [];
      return [
        {
          status,
          pointer: response.pointer,
          headers: readHeaders(root, response, report),
          contents: readContents(root, childOf(response, 'content'), report),
          links: readLinks(root, response, report),
          errorCodes: readErrorCodes(response.value),
        },
      ];
    });
}

function readHeaders(root: JsonObject, response: Place, report: ReportPart): HeaderObject[] {
  return objectsIn(root, childOf(response, 'headers'), report).flatMap(({ name, value, pointer }): HeaderObject[] => {
    // OpenAPI ignores a header of this name in favour of the media types of `content` (3.1, 4.8.17.1).
    if (name.toLowerCase() === 'content-type') return [];
    const { required, explode, content } = value;
    const flags = { required: required === true, explode: explode === true, hasContent: isObject(content) };
    return [{ name, pointer, schema: schemaOf({ value, pointer }), ...flags }];
  });
}

function readLinks(root: JsonObject, response: Place, report: ReportPart): Link[] {
  return objectsIn(root, childOf(response, 'links'), report).flatMap(({ value, pointer }): Link[] => {
    const to = textAt(value, 'operationId') ?? idByReference(root, textAt(value, 'operationRef'));
    return to === undefined ? [] : [{ pointer, to, parameters: objectAt(value, 'parameters') }];
  });
}

function idByReference(root: JsonObject, reference: string | undefined): string | undefined {
  if (reference === undefined || !reference.startsWith('#')) return undefined;
  const operation = follow(root, { value: { $ref: reference }, pointer: reference });
  return textAt(operation?.value, 'operationId');
}

/** The `content` map of a body, response, parameter or header. */
function readContents(root: JsonObject, place: Place, report: ReportPart): MediaContent[] {
  return objectsIn(root, place, report).map(
    ({ name, value, pointer }): MediaContent => ({
      mediaType: name,
      pointer,
      schema: schemaOf({ value, pointer }),
      examples: readExamples(root, { value, pointer }, report),
      encoding: objectAt(value, 'encoding'),
    }),
  );
}

function schemaOf(holder: Place): Pointer | undefined {
  return memberOf(holder.value, 'schema') === undefined ? undefined : childOf(holder, 'schema').pointer;
}

/** Values of `example` and `examples` of a media type, parameter or header, in the order of the document. */
function readExamples(root: JsonObject, holder: Place, report: ReportPart): unknown[] {
  const single = memberOf(holder.value, 'example');
  const named = Object.keys(objectAt(holder.value, 'examples')).flatMap((name) => {
    const example = follow(root, childOf(holder, 'examples', name), report);
    const value = memberOf(example?.value, 'value');
    return value === undefined ? [] : [value];
  });
  return single === undefined ? named : [single, ...named];
}
