import { nearestNames } from '@lockstep/runtime/form/nearest-name';
import { cut, listOr } from '@lockstep/runtime/form/sentence';
import { allowedMethods, createRouter, type Placed } from '@lockstep/runtime/route-request';
import { Refused, refuse } from '../error-catalogue.ts';

export type FoundRoute<Operation extends Placed> =
  | { readonly kind: 'operation'; readonly operation: Operation; readonly rawPathValues: ReadonlyMap<string, string> }
  /** OPTIONS: what the path takes. */
  | { readonly kind: 'options'; readonly allow: string };

export type FindRoute<Operation extends Placed> = (method: string, rawPath: string) => FoundRoute<Operation>;

/**
 * Finds the operation of a request; HEAD finds that of GET.
 *
 * @throws Refused 404 for a path outside the contract, naming the nearest; 405 with `Allow` for a method it doesn't have
 */
export function createRouteFinder<Operation extends Placed>(operations: readonly Operation[]): FindRoute<Operation> {
  const router = createRouter(operations);
  return (method, rawPath) => {
    const match = router.match(rawPath);
    if (match === undefined) {
      const [nearest] = nearestNames(rawPath, router.templates);
      const cure = nearest === undefined ? '' : `, did you mean ${nearest}?`;
      throw new Refused(refuse('route_not_found', { text: `not found route: ${method} ${cut(rawPath)}${cure}` }));
    }
    const { operations: declared } = match.route;
    const operation = declared.get(method.toLowerCase()) ?? (method === 'HEAD' ? declared.get('get') : undefined);
    if (operation !== undefined) return { kind: 'operation', operation, rawPathValues: match.rawPathValues };
    const allowed = allowedMethods(match.route);
    const allow = allowed.join(', ');
    if (method === 'OPTIONS') return { kind: 'options', allow };
    const text = `${method} is not allowed here, use ${listOr(allowed)}`;
    throw new Refused(refuse('method_not_allowed', { text, headers: { Allow: allow } }));
  };
}
