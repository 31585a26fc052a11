import contract from '@lockstep/contract/contract.json' with { type: 'json' };
import { type Operation, operations } from '@lockstep/contract/operations';
import { answerProblem } from './answer-page.ts';
import type { Middleware } from './middleware.ts';

/** Paths for an owner's browser: the pages between login and callback, and the connected applications. Clients don't call them. */
const browserPaths: readonly (readonly [pattern: RegExp, methods: readonly string[]])[] = [
  [/^\/login\/[^/]+$/, ['GET']],
  [/^\/interaction\/[^/]+$/, ['GET']],
  [/^\/interaction\/[^/]+\/(?:login|confirm|abort|other)$/, ['POST']],
  [/^\/apps$/, ['GET']],
  [/^\/apps\/(?:login|disconnect|log-out|log-out-everywhere)$/, ['POST']],
];

const declared = Map.groupBy(
  Object.values<Operation>(operations).filter(({ basePath }) => basePath === operations.login.basePath),
  ({ path }) => path,
);

/**
 * Step 1 of every request, as the contract states: path known, method declared. Upstream alone would accept `/LOGIN/` too, and answer the
 * rest with a plain 404.
 */
export const routeRequest: Middleware = async (ctx, next) => {
  const methods = findMethods(ctx.path);
  // A person has mistyped an address: clients don't accept HTML.
  if (methods.length === 0 && ctx.accepts('json', 'html') === 'html') return answerProblem(ctx, 'not-found');
  if (ctx.method !== 'OPTIONS' && methods.includes(ctx.method)) return void (await next());

  const requestId = ctx.response.get('X-Request-Id');
  ctx.set({ 'API-Version': contract.info.version, 'Cache-Control': 'no-store' });
  if (methods.length > 0) ctx.set('Allow', methods.join(', '));
  if (methods.length > 0 && ctx.method === 'OPTIONS') {
    ctx.status = 204;
    return;
  }
  ctx.status = methods.length > 0 ? 405 : 404;
  ctx.body =
    methods.length > 0
      ? { message: `${ctx.method} is not allowed here`, code: 'method_not_allowed', requestId }
      : { message: 'not found route', code: 'route_not_found', requestId };
};

/** HEAD is answered like GET. OPTIONS is in the list for `Allow`, and answered here. */
function findMethods(path: string): readonly string[] {
  const methods =
    declared.get(path)?.map(({ method }) => method.toUpperCase()) ??
    browserPaths.find(([pattern]) => pattern.test(path))?.[1] ??
    [];
  return methods
    .flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]))
    .concat(methods.length > 0 ? ['OPTIONS'] : []);
}
