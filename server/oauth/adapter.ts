import Provider, { type Adapter, type AdapterPayload, errors } from 'oidc-provider';
import { revocationKeptSeconds, type Store } from '../store/store.ts';
import { hashSecret } from './hash-secret.ts';
import { whenAvailable } from './unavailable.ts';

export type AdapterStore = Pick<Store, 'oidc' | 'clients' | 'accounts'>;

/** Models that stand for an owner's login or consent: found again by who it was, to end them. */
const ownedModels: ReadonlySet<string> = new Set(['Session', 'Grant', 'AuthorizationCode', 'RefreshToken']);

/** A code is kept a day past its end, so that a late replay is still seen; everything else a minute. */
const codeKeepSeconds = 86_400;
const keepSeconds = 60;

/**
 * Where oidc-provider keeps one of its models. It checks and then consumes, so single use is only as atomic as
 * `consume` here, which the store decides by one conditional statement. Holds no SQL; the store knows no OAuth error.
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
        // The id of a grant opens nothing, it stands in every access token of it: kept as it is, so that a list of grants can name it.
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
    // oidc-provider revokes on a replay within the 60 s of a code, and only refuses afterwards (RFC 6749, 4.1.2).
    if (isSpentCode && row.grantId !== null && (payload.exp ?? 0) <= nowSeconds()) await this.#takeBack(row.grantId);
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
    // Somebody else was first: all that came of it goes (RFC 6749, 4.1.2).
    const row = await whenAvailable(this.#store.oidc.find(this.#model, idHash));
    if (row?.grantId) await this.#takeBack(row.grantId);
    throw new errors.InvalidGrant('already consumed');
  }

  async destroy(id: string): Promise<void> {
    const idHash = hashSecret(id);
    if (this.#model === 'Grant') return this.#revoke(id);
    if (this.#model === 'Interaction') return this.#end(id);
    // Who ends a refresh token ends its grant. Upstream does one after the other: a process that died between them would leave
    // access tokens that are good for a day, and a token that nobody can revoke again.
    const row =
      this.#model === 'RefreshToken' ? await whenAvailable(this.#store.oidc.find(this.#model, idHash)) : undefined;
    if (row?.grantId) return this.#revoke(row.grantId);
    await whenAvailable(this.#store.oidc.remove(this.#model, idHash));
  }

  /** Asked for each model in turn, beside the end of the grant itself, which takes all of them along in one transaction. */
  async revokeByGrantId(): Promise<void> {}

  /**
   * A form that is sent twice leads on twice: one of both ends the interaction, or each would get a code. It is kept as spent, so that a
   * form that comes late does not bring it back.
   */
  async #end(uid: string): Promise<void> {
    const isFirst = await whenAvailable(this.#store.oidc.consume(this.#model, hashSecret(uid), nowSeconds()));
    if (!isFirst) throw new errors.SessionNotFound('the interaction has ended');
  }

  /** What upstream does where it finds a replay itself, its event included: the log tells of it. */
  async #takeBack(grantId: string): Promise<void> {
    await this.#revoke(grantId);
    const { ctx } = Provider;
    ctx?.oidc.provider.emit('grant.revoked', ctx, grantId);
  }

  async #revoke(grantId: string): Promise<void> {
    const now = nowSeconds();
    await whenAvailable(this.#store.oidc.revokeGrant(grantId, hashSecret(grantId), now, now + revocationKeptSeconds));
  }

  /** A disabled client, and an own-account client of a disabled or deleted account, is as one that never existed. */
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
 * What is kept must open nothing: the id itself is left out, also where an interaction repeats it in the address to
 * come back to, and the copy of the session's cookie, which nothing reads.
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
