import type { EpochMilliseconds } from '@lockstep/server/clock';
import type { VerifyToken } from '@lockstep/server/http/token-scheme';
import { accessTokenSeconds } from '@lockstep/server/oauth/lifetimes';
import { decodeJwt } from 'jose';

/** The life of access tokens, which a test may shorten. Tokens and their life follow the system clock. */
export interface TokenLives {
  /** Seconds; null for the life that the service uses. */
  readonly lifetimeSeconds: number | null;
  readonly setLifetime: (seconds: number | null) => void;
  /** Life of the next token in seconds. */
  readonly next: () => number;
  /** Records the id of each issued token. */
  readonly issued: (id: string) => void;
  /** Expires all tokens issued so far. */
  readonly expire: () => void;
  /** Adds these rules to a token check. */
  readonly judge: (verify: VerifyToken) => VerifyToken;
}

/** `iat` has whole seconds, so tokens of the present second are distinguished by their ids. */
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
