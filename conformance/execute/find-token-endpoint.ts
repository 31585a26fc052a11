import type { Contract } from '../contract/contract.ts';

/**
 * Where tokens come from. The contract names an address of its own publisher's; the deployment's is the same path beneath
 * the address that the user gave. No address that the user did not give is called.
 *
 * @returns base and path; undefined where the contract names no token endpoint and no `--auth-url` was given
 */
export function findTokenEndpoint(
  contract: Contract,
  { baseUrl, authUrl }: { readonly baseUrl: string; readonly authUrl: string | undefined },
): { readonly base: string; readonly path: string } | undefined {
  const declared = Object.values(contract.schemes).find(({ tokenUrl }) => tokenUrl !== undefined)?.tokenUrl;
  if (declared === undefined) return authUrl === undefined ? undefined : { base: authUrl, path: '' };
  const described = contract.operations.find(
    ({ method, path, servers }) => method === 'post' && servers.some((server) => `${server}${path}` === declared),
  );
  if (described !== undefined) {
    const base = described.target === 'auth' ? authUrl : baseUrl;
    return base === undefined ? undefined : { base, path: described.path };
  }
  const shared = contract.operations.find(({ method, path }) => method === 'post' && declared.endsWith(path));
  if (shared !== undefined && shared.target === 'api') return { base: baseUrl, path: shared.path };
  if (authUrl !== undefined) return { base: authUrl, path: '' };
  return declared.startsWith('/') ? { base: new URL(baseUrl).origin, path: declared } : undefined;
}
