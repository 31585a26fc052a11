import { upgradeFromTwoToThree } from '@scalar/openapi-upgrader/2.0-to-3.0';
import { isObject, type JsonObject, joinPointer, type Pointer, splitPointer } from './document.ts';
import type { Source } from './source.ts';

/** Where Swagger 2.0 has the components of OpenAPI 3. */
const components: Readonly<Record<string, string>> = {
  schemas: 'definitions',
  requestBodies: 'parameters',
  securitySchemes: 'securityDefinitions',
};

/**
 * Converts a document of Swagger 2.0 by Scalar's upgrader. Lines stay those of the text: of the place itself, or of one around it.
 *
 * @returns other documents unchanged
 * @throws Error of the upgrader, for a document that is too faulty to convert
 */
export function convertSwagger(source: Source): Source {
  const { root, lineOf, excerptAt } = source;
  if (root.openapi !== undefined || !/^2(\.0)?$/.test(String(root.swagger))) return source;
  const copy: Record<string, unknown> = structuredClone(root);
  copy.swagger = '2.0';
  if (copy.host === undefined) delete copy.schemes;
  const converted: unknown = upgradeFromTwoToThree(copy);
  return {
    ...source,
    root: isObject(converted) ? (converted as JsonObject) : {},
    lineOf: (pointer) => lineOf(originOf(pointer)),
    excerptAt: (pointer) => excerptAt(originOf(pointer)),
  };
}

/** The pointer of a place in the text. Parameters and bodies become one list there, so that the list stands for them. */
function originOf(pointer: Pointer): Pointer {
  const [first = '', second = '', ...rest] = splitPointer(pointer);
  if (first === 'servers') return '#/host';
  if (first === 'components') return joinPointer('#', components[second] ?? second, ...withoutContent(rest));
  const body = rest.findIndex((name) => name === 'requestBody' || name === 'parameters');
  const kept = body < 0 ? withoutContent(rest) : [...rest.slice(0, body), 'parameters'];
  return joinPointer('#', ...[first, second, ...kept].filter((name) => name !== ''));
}

/** The media type of a response or body is not around its schema there. */
function withoutContent(path: readonly string[]): readonly string[] {
  const at = path.indexOf('content');
  return at < 0 ? path : [...path.slice(0, at), ...path.slice(at + 2)];
}
