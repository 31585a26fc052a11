import type { Configuration } from 'oidc-provider';

const hour = 3600;
const day = 24 * hour;

/** Counted from the login; uses of the token do not extend it. */
export const refreshTokenDays = 365;
const year = refreshTokenDays * day;

/** For access tokens from a login and from a client's own credentials. */
export const accessTokenSeconds = day;

/** How long a browser stays logged in after a login; requests do not extend it (ASVS 5.0, 7.3.2). */
export const sessionSeconds = 12 * hour;

const nowSeconds = () => Math.floor(Date.now() / 1000);

/** In seconds. A refresh token expires a year after the login (`iiat` survives rotation), and its grant not earlier. */
export const lifetimes = {
  AccessToken: accessTokenSeconds,
  ClientCredentials: accessTokenSeconds,
  AuthorizationCode: 60,
  IdToken: hour,
  Interaction: hour / 2,
  // With a number, upstream would count from each use, since it writes the session at each.
  Session: (_ctx, { loginTs = nowSeconds() }) => Math.max(1, loginTs + sessionSeconds - nowSeconds()),
  // The default of 14 days would end refreshing on day 14: a grant's expiry never moves.
  Grant: year + day,
  RefreshToken: (_ctx, token) => Math.max(1, (token.iiat ?? token.iat) + year - nowSeconds()),
} satisfies Configuration['ttl'];
