import type { Command } from 'commander';
import type { OwnClient, PartnerClient } from '../oauth/create-client-metadata.ts';

/** The options of `client create`, as commander hands them over. */
export interface ClientOptions {
  readonly name: string;
  readonly account?: string;
  readonly redirectUri?: readonly string[];
  readonly scope?: readonly string[];
  readonly requirePkce?: true;
  readonly rotateRefreshToken?: true;
}

/**
 * Which client the options of `client create` describe.
 *
 * @throws CommanderError where they describe both kinds of client, neither, or say of one what only the other can have
 */
export function readClient(
  command: Command,
  clientId: string,
  { name, account: ownerAccount, redirectUri, scope, requirePkce, rotateRefreshToken }: ClientOptions,
): OwnClient | PartnerClient {
  const refuse = (text: string): never => command.error(text, { exitCode: 2 });
  if ((ownerAccount === undefined) === (redirectUri === undefined))
    refuse('Give either --account or --redirect-uri: a client acts for its own account or for others.');
  const common = { clientId, name, ...(scope && { scopes: scope }) };
  if (ownerAccount === undefined)
    return {
      kind: 'partner',
      ...common,
      redirectUris: redirectUri ?? [],
      ...(requirePkce && { requirePkce }),
      ...(rotateRefreshToken && { rotateRefreshToken }),
    };
  if (requirePkce) refuse('--require-pkce is for clients with --redirect-uri.');
  if (rotateRefreshToken) refuse('--rotate-refresh-token is for clients with --redirect-uri.');
  return { kind: 'own', ...common, ownerAccount };
}
