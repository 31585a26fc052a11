import type { Configuration } from 'oidc-provider';

const hour = 3600;
const day = 24 * hour;

/** From the login, however often the token is used. */
export const refreshTokenDays = 365;
const year = refreshTokenDays * day;

/** Access tokens, by login and by a client's own credentials alike. */
export const accessTokenSeconds = day;

/** Seconds. A refresh token ends a year after the login (`iiat` survives rotation), and its grant not before it. */
export const lifetimes = {
  AccessToken: accessTokenSeconds,
  ClientCredentials: accessTokenSeconds,
  AuthorizationCode: 60,
  IdToken: hour,
  Interaction: hour / 2,
  Session: 12 * hour,
  // The default of 14 days would end refreshing on day 14: a grant's end is never moved.
  Grant: year + day,
  RefreshToken: (_ctx, token) => Math.max(1, (token.iiat ?? token.iat) + year - Math.floor(Date.now() / 1000)),
} satisfies Configuration['ttl'];
