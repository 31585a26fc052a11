import { type Grant, interactionPolicy, type KoaContextWithOIDC } from 'oidc-provider';
import type { Store } from '../../store/store.ts';
import { findLiveOwner } from '../log-in-owner.ts';
import { whenAvailable } from '../unavailable.ts';

const { Check, base } = interactionPolicy;

/** The rules for prompts: upstream's, and one for a session whose owner no longer exists, at which upstream would fail. */
export function createInteractionPolicy(): interactionPolicy.DefaultPolicy {
  const policy = base();
  policy
    .get('login')
    ?.checks.add(
      new Check('owner_gone', 'End-User authentication is required', 'login_required', ({ oidc }) =>
        oidc.session?.accountId !== undefined && oidc.account === undefined
          ? Check.REQUEST_PROMPT
          : Check.NO_NEED_TO_PROMPT,
      ),
    );
  return policy;
}

/**
 * The grant of an authorization: the one that the owner has just given, or a new one if the owner gave this client these scopes earlier in
 * the same browser session. Each authorization has its own grant: a shared one would shorten later logins, since its expiry never moves,
 * and would revoke them together.
 */
export function createLoadGrant(store: Pick<Store, 'owners' | 'accounts' | 'audit'>) {
  return async (ctx: KoaContextWithOIDC): Promise<Grant | undefined> => {
    const { oidc } = ctx;
    const { Grant } = oidc.provider;
    const given = oidc.result?.consent?.grantId;
    if (given !== undefined) return Grant.find(given);
    const clientId = oidc.client?.clientId;
    if (clientId === undefined || isAskedAnyway(ctx)) return undefined;

    // Not read by `grantIdFor`, which writes an empty entry if there is none.
    const earlierId = oidc.session?.authorizations?.[clientId]?.grantId;
    const earlier = earlierId === undefined ? undefined : await Grant.find(earlierId);
    const ownerId = oidc.account?.accountId;
    if (earlier === undefined || earlier.accountId !== ownerId || !covers(ctx, earlier)) return undefined;
    return repeatGrant(ctx, { ownerId, clientId, earlier });
  };

  /** Repeats all granted scopes, so that a login with fewer scopes keeps the rest. The code itself has only the requested scopes. */
  async function repeatGrant(
    ctx: KoaContextWithOIDC,
    of: { ownerId: string | undefined; clientId: string; earlier: Grant },
  ) {
    const owner = await findLiveOwner(store, of.ownerId);
    if (owner === undefined) return undefined;
    const { oidc } = ctx;
    const grant = new oidc.provider.Grant({ accountId: owner.id, clientId: of.clientId });
    grant.addOIDCScope(of.earlier.getOIDCScope());
    for (const [resource] of askedOfResources(ctx))
      grant.addResourceScope(resource, of.earlier.getResourceScope(resource));
    // The audit entry is written before the grant, since they can't share a transaction: no grant exists without its entry.
    await whenAvailable(
      store.audit.add({
        at: Date.now(),
        accountId: owner.accountId,
        ownerId: owner.id,
        clientId: of.clientId,
        action: 'repeat_consent',
        deviceId: null,
        requestId: ctx.response.get('X-Request-Id'),
      }),
    );
    await grant.save();
    return grant;
  }
}

/** Whether the owner is prompted, or the login fails, regardless of earlier grants: then no grant is stored yet. */
function isAskedAnyway({ oidc }: KoaContextWithOIDC): boolean {
  const maxAge = oidc.params?.max_age;
  const isTooOld =
    maxAge !== undefined && oidc.session?.past(Number(maxAge)) === true && oidc.result?.login === undefined;
  const hinted = oidc.entities.IdTokenHint?.payload.sub;
  const isAnother = hinted !== undefined && hinted !== oidc.account?.accountId;
  return oidc.promptPending('consent') || oidc.promptPending('login') || isTooOld || isAnother;
}

function covers(ctx: KoaContextWithOIDC, earlier: Grant): boolean {
  const openId = new Set(earlier.getOIDCScope().split(' '));
  return (
    [...ctx.oidc.requestParamOIDCScopes].every((scope) => openId.has(scope)) &&
    askedOfResources(ctx).every(([resource, asked]) => {
      const granted = new Set(earlier.getResourceScope(resource).split(' '));
      return asked.every((scope) => granted.has(scope));
    })
  );
}

function askedOfResources({
  oidc,
}: KoaContextWithOIDC): readonly (readonly [resource: string, scopes: readonly string[]])[] {
  return Object.entries(oidc.resourceServers ?? {}).map(([resource, { scopes }]) => [
    resource,
    [...oidc.requestParamScopes].filter((scope) => scopes.has(scope)),
  ]);
}
