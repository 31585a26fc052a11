import Provider, { type Adapter, type AdapterPayload, errors } from 'oidc-provider';
import { revocationKeptSeconds, type Store } from '../store/store.ts';
import { hashSecret } from './hash-secret.ts';
import { whenAvailable } from './unavailable.ts';

export type AdapterStore = Pick<Store, 'oidc' | 'clients' | 'accounts'>;

/** Models of an owner's login or consent. They are stored with owner and client, so that they can be revoked. */
const ownedModels: ReadonlySet<string> = new Set(['Session', 'Grant', 'AuthorizationCode', 'RefreshToken']);

/** A code is kept a day after its expiry, so that a late replay is detected; everything else a minute. */
const codeKeepSeconds = 86_400;
const keepSeconds = 60;

/**
 * Stores one model of oidc-provider, which checks and then consumes: single use is only as atomic as `consume` here, one conditional
 * statement of the store. This class contains no SQL, and the store knows no OAuth error.
 */
export class OidcAdapter implements Adapter {
  readonly #model: string;
  readonly #store: AdapterStore;

  constructor(model: string, store: AdapterStore) {
    this.#model = model;
    this.#store = store;
  }

  async upsert(id: string, payload: AdapterPayload, ttlSeconds?: number): Promise<void> {
    const expiresAt = ttlSeconds ? nowSeconds() + ttlSeconds : null;
    const keep = this.#model === 'AuthorizationCode' ? codeKeepSeconds : keepSeconds;
    await whenAvailable(
      this.#store.oidc.put({
        model: this.#model,
        idHash: hashSecret(id),
        // The id of a grant is no secret, as every access token of it contains the id. It is stored in clear for lists of grants.
        grantId: (this.#model === 'Grant' ? id : payload.grantId) ?? null,
        uid: this.#model === 'Session' ? (payload.uid ?? null) : null,
        ownerId: (ownedModels.has(this.#model) ? payload.accountId : undefined) ?? null,
        clientId: (ownedModels.has(this.#model) ? payload.clientId : undefined) ?? null,
        payload: JSON.stringify(withoutBearers(id, payload)),
        expiresAt,
        purgeAt: expiresAt && expiresAt + keep,
      }),
    );
  }

  async find(id: string): Promise<AdapterPayload | undefined> {
    if (this.#model === 'Client') return this.#findClient(id);
    const row = await whenAvailable(this.#store.oidc.find(this.#model, hashSecret(id)));
    if (row === undefined || (this.#model === 'Interaction' && row.consumedAt !== null)) return undefined;
    const payload = withBearers(id, JSON.parse(row.payload));
    const isSpentCode = this.#model === 'AuthorizationCode' && row.consumedAt !== null;
    // oidc-provider revokes on a replay within a code's 60 s, and only rejects it afterwards (RFC 6749, 4.1.2).
    if (isSpentCode && row.grantId !== null && (payload.exp ?? 0) <= nowSeconds())
      await this.#revokeReplayed(row.grantId);
    return row.consumedAt === null ? payload : { ...payload, consumed: row.consumedAt };
  }

  async findByUid(uid: string): Promise<AdapterPayload | undefined> {
    const row = await whenAvailable(this.#store.oidc.findSession(uid));
    return row && JSON.parse(row.payload);
  }

  async findByUserCode(): Promise<undefined> {
    return undefined;
  }

  async consume(id: string): Promise<void> {
    const idHash = hashSecret(id);
    if (await whenAvailable(this.#store.oidc.consume(this.#model, idHash, nowSeconds()))) return;
    // Another request was first: revoke everything issued from this artifact (RFC 6749, 4.1.2).
    const row = await whenAvailable(this.#store.oidc.find(this.#model, idHash));
    if (row?.grantId) await this.#revokeReplayed(row.grantId);
    throw new errors.InvalidGrant('already consumed');
  }

  async destroy(id: string): Promise<void> {
    const idHash = hashSecret(id);
    if (this.#model === 'Grant') return this.#revoke(id);
    if (this.#model === 'Interaction') return this.#end(id);
    // Revoking a refresh token revokes its grant. Upstream does one after the other: if the process died in between, access tokens would
    // stay valid for a day, and the refresh token could not be revoked again.
    const row =
      this.#model === 'RefreshToken' ? await whenAvailable(this.#store.oidc.find(this.#model, idHash)) : undefined;
    if (row?.grantId) return this.#revoke(row.grantId);
    await whenAvailable(this.#store.oidc.remove(this.#model, idHash));
  }

  /** Upstream calls this for each model and destroys the grant itself, which removes all of them in one transaction. */
  async revokeByGrantId(): Promise<void> {}

  /**
   * A form that is sent twice is processed twice, but only one of the two may end the interaction, or each would get a code. The interaction
   * is kept as consumed, so that a late form does not restore it.
   */
  async #end(uid: string): Promise<void> {
    const isFirst = await whenAvailable(this.#store.oidc.consume(this.#model, hashSecret(uid), nowSeconds()));
    if (!isFirst) throw new errors.SessionNotFound('the interaction has ended');
  }

  /** Revokes a grant as upstream does on a replay, with its event, which is logged. */
  async #revokeReplayed(grantId: string): Promise<void> {
    await this.#revoke(grantId);
    const { ctx } = Provider;
    ctx?.oidc.provider.emit('grant.revoked', ctx, grantId);
  }

  async #revoke(grantId: string): Promise<void> {
    const now = nowSeconds();
    await whenAvailable(this.#store.oidc.revokeGrant(grantId, hashSecret(grantId), now, now + revocationKeptSeconds));
  }

  /** Treats a disabled client, and an own-account client of a disabled or deleted account, as unknown. */
  async #findClient(id: string): Promise<AdapterPayload | undefined> {
    if (!/^[A-Za-z0-9_-]{1,64}$/.test(id)) return undefined;
    const row = await whenAvailable(this.#store.clients.find(id));
    if (row === undefined || row.disabledAt !== null) return undefined;
    const metadata: AdapterPayload & { owner_account?: string } = JSON.parse(row.metadata);
    if (metadata.owner_account === undefined) return metadata;
    const owner = await whenAvailable(this.#store.accounts.find(metadata.owner_account));
    return owner?.disabledAt === null ? metadata : undefined;
  }
}

/**
 * Removes all bearer values from a stored payload: the id itself, its copy in the return address of an interaction, and the copy of the
 * session's cookie, which nothing reads.
 */
function withoutBearers(id: string, { jti: _jti, consumed: _consumed, ...payload }: AdapterPayload): AdapterPayload {
  const { returnTo, session } = payload;
  return {
    ...payload,
    ...(returnTo?.endsWith(`/${id}`) && { returnTo: returnTo.slice(0, -id.length) }),
    ...(session && { session: { ...session, cookie: undefined } }),
  };
}

function withBearers(id: string, payload: AdapterPayload): AdapterPayload {
  const { returnTo } = payload;
  return { ...payload, jti: id, ...(returnTo?.endsWith('/') && { returnTo: returnTo + id }) };
}

function nowSeconds(): number {
  return Math.floor(Date.now() / 1000);
}
