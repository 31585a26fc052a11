import type { EpochMilliseconds } from '@lockstep/server/clock';
import type { VerifyToken } from '@lockstep/server/http/token-scheme';
import { accessTokenSeconds } from '@lockstep/server/oauth/lifetimes';
import { decodeJwt } from 'jose';

/** The life of access tokens, to be shortened at will. All of it is on the system clock, as tokens are. */
export interface TokenLives {
  /** Seconds; null: as the service has it. */
  readonly lifetimeSeconds: number | null;
  readonly setLifetime: (seconds: number | null) => void;
  /** Seconds that the next token lives. */
  readonly next: () => number;
  /** Told of each token by its id. */
  readonly issued: (id: string) => void;
  /** Those issued so far have run out. */
  readonly expire: () => void;
  /** Judges a token by these besides. */
  readonly judge: (verify: VerifyToken) => VerifyToken;
}

/** `iat` has whole seconds, so that those of the present one are told apart by their ids. */
export function createTokenLives(now: () => EpochMilliseconds = Date.now): TokenLives {
  let lifetimeSeconds: number | null = null;
  let issuedLately = { second: 0, ids: new Set<string>() };
  let ended = { before: 0, ids: new Set<string>() };
  const readSecond = (): number => Math.floor(now() / 1000);

  function isEnded(token: string): boolean {
    if (ended.before === 0) return false;
    const { iat = 0, jti = '' } = decodeJwt(token);
    return iat < ended.before || ended.ids.has(jti);
  }

  return {
    get lifetimeSeconds() {
      return lifetimeSeconds;
    },
    setLifetime: (seconds) => {
      lifetimeSeconds = seconds;
    },
    next: () => lifetimeSeconds ?? accessTokenSeconds,
    issued: (id) => {
      const second = readSecond();
      if (issuedLately.second !== second) issuedLately = { second, ids: new Set() };
      issuedLately.ids.add(id);
    },
    expire: () => {
      const second = readSecond();
      ended = { before: second, ids: issuedLately.second === second ? new Set(issuedLately.ids) : new Set() };
    },
    judge: (verify) => async (token) => {
      const verdict = await verify(token);
      return verdict.kind === 'good' && isEnded(token) ? { kind: 'bad', reason: 'expired' } : verdict;
    },
  };
}
