import type { Configuration } from 'oidc-provider';

const hour = 3600;
const day = 24 * hour;

/** From the login, however often the token is used. */
export const refreshTokenDays = 365;
const year = refreshTokenDays * day;

/** Access tokens, by login and by a client's own credentials alike. */
export const accessTokenSeconds = day;

/** How long a browser stays logged in after a login; using it does not prolong that (ASVS 5.0, 7.3.2). */
export const sessionSeconds = 12 * hour;

const nowSeconds = () => Math.floor(Date.now() / 1000);

/** Seconds. A refresh token ends a year after the login (`iiat` survives rotation), and its grant not before it. */
export const lifetimes = {
  AccessToken: accessTokenSeconds,
  ClientCredentials: accessTokenSeconds,
  AuthorizationCode: 60,
  IdToken: hour,
  Interaction: hour / 2,
  // Written at each use, and counted from there by upstream, if it were a number.
  Session: (_ctx, { loginTs = nowSeconds() }) => Math.max(1, loginTs + sessionSeconds - nowSeconds()),
  // The default of 14 days would end refreshing on day 14: a grant's end is never moved.
  Grant: year + day,
  RefreshToken: (_ctx, token) => Math.max(1, (token.iiat ?? token.iat) + year - nowSeconds()),
} satisfies Configuration['ttl'];
