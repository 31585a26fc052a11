import { isObject } from '@lockstep/json/json-pointer';
import type { Oas3Rule } from 'redocly-core';
import { dereference, entriesOf, type Resolve } from './reading/dereference.ts';
import { type FoundOperation, findOperation, parametersOf } from './reading/find-operation.ts';
import { expressionsIn, parseExpression, type RuntimeExpression } from './reading/runtime-expression.ts';
import { schemaHasPointer } from './reading/schema-has-pointer.ts';

/**
 * A link leads to an existing operation, fills parameters and a body of this operation, and reads places that the request and
 * the response describe. Clients and the conformance plan follow links without checks.
 */
export const linksResolve: Oas3Rule = () => {
  let root: unknown;
  return {
    Root(document) {
      root = document;
    },
    Operation(operation, { report, location, resolve, parent }) {
      const source = { operation: operation as unknown, parameters: parametersOf(operation, parent, resolve) };
      for (const [status, listed] of entriesOf(operation.responses)) {
        const { value: response } = dereference(listed, resolve);
        for (const [name, listedLink] of entriesOf(isObject(response) ? response.links : undefined)) {
          const { value: link } = dereference(listedLink, resolve);
          if (!isObject(link)) continue;
          const isInline = response === listed && link === listedLink;
          const place = location.child(['responses', status]).child(isInline ? ['links', name] : []);
          for (const fault of linkFaults(link, root, source, response, resolve)) {
            report({
              message: `The link ${name} ${fault.message}.`,
              suggest: [fault.fix],
              location: isInline ? place.child([...fault.at]) : place.key(),
            });
          }
        }
      }
    },
  };
};

interface LinkFault {
  readonly at: readonly string[];
  readonly message: string;
  readonly fix: string;
}

interface Source {
  readonly operation: unknown;
  readonly parameters: FoundOperation['parameters'];
}

function* linkFaults(
  link: Readonly<Record<string, unknown>>,
  root: unknown,
  source: Source,
  response: unknown,
  resolve: Resolve,
): Generator<LinkFault> {
  const key = link.operationId === undefined ? 'operationRef' : 'operationId';
  const target = findOperation(root, link, resolve);
  if (target === undefined) {
    const fix = 'Name an operation of this document by its operationId.';
    yield { at: [key], message: `leads to ${String(link[key])}, but there is no such operation`, fix };
  }
  for (const [name, value] of entriesOf(link.parameters)) {
    const at = ['parameters', name];
    if (target !== undefined && !target.parameters.some((parameter) => isNamed(parameter, name))) {
      const fix = `Name one of its parameters: ${target.parameters.map((parameter) => parameter.name).join(', ')}.`;
      yield { at, message: `fills the parameter ${name}, which ${target.operation.operationId} does not have`, fix };
    }
    yield* valueFaults(value, at, source, response, resolve);
  }
  if (link.requestBody === undefined) return;
  const at = ['requestBody'];
  if (target !== undefined && target.operation.requestBody === undefined) {
    const fix = 'Delete requestBody, or name an operation with a body.';
    yield { at, message: `fills the body, which ${target.operation.operationId} does not have`, fix };
  }
  yield* valueFaults(link.requestBody, at, source, response, resolve);
}

/** Faults of the expressions in a link's value. Text in an object is a constant (OpenAPI 3.1.1, 4.8.20). */
function* valueFaults(
  value: unknown,
  at: readonly string[],
  source: Source,
  response: unknown,
  resolve: Resolve,
): Generator<LinkFault> {
  for (const text of expressionsIn(value)) {
    const expression = parseExpression(text);
    if (expression !== undefined && isDescribed(expression, source, response, resolve)) continue;
    const fix = 'Write a runtime expression for a value that the request or the response describes.';
    yield { at, message: `reads ${text}, which neither request nor response describes`, fix };
  }
}

/** A link's key is a name, or a name after its location, `path.id` (OpenAPI 3.1.1, 4.8.20). */
function isNamed(parameter: Readonly<Record<string, unknown>>, key: string): boolean {
  return key === parameter.name || key === `${parameter.in}.${parameter.name}`;
}

function isDescribed(expression: RuntimeExpression, source: Source, response: unknown, resolve: Resolve): boolean {
  if (!('in' in expression)) return true;
  if (expression.in === 'body') {
    const holder = expression.of === 'response' ? response : bodyOf(source.operation, resolve);
    const content = entriesOf(isObject(holder) ? holder.content : undefined);
    return content.some(([, media]) => isObject(media) && schemaHasPointer(media.schema, expression.pointer, resolve));
  }
  if (expression.of === 'request') {
    const { parameters } = source;
    return parameters.some((one) => one.in === expression.in && isSameName(one.name, expression.name, expression.in));
  }
  const headers = entriesOf(isObject(response) ? response.headers : undefined);
  return expression.in === 'header' && headers.some(([name]) => isSameName(name, expression.name, 'header'));
}

function bodyOf(operation: unknown, resolve: Resolve): unknown {
  return isObject(operation) ? dereference(operation.requestBody, resolve).value : undefined;
}

/** Header names are case-insensitive (RFC 9110, 5.1), other names are not. */
function isSameName(name: unknown, wanted: string, place: string): boolean {
  return place === 'header' ? String(name).toLowerCase() === wanted.toLowerCase() : name === wanted;
}
