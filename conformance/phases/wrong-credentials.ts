// Wrong credentials: made up, altered or expired.
import { accessCheck } from '../checks/access.ts';
import type { SecurityScheme } from '../contract/contract.ts';
import { isObject } from '../contract/document.ts';
import { changeSecret } from '../execute/change-credentials.ts';
import type { CredentialChange } from '../execute/exchange.ts';
import { takesToken } from '../execute/tokens.ts';
import { isTokenEndpoint } from '../plan/operation-kinds.ts';
import { type About, askAs, askWithControl, closedOf, type Means, open, probeOf } from './access-probe.ts';
import type { Probe } from './probe.ts';

/** By the kind of a scheme, in the order in which careless servers accept them. The last ones leave the credential as it is. */
const changes: Readonly<Record<'token' | 'basic' | 'key', readonly CredentialChange[]>> = {
  token: [
    ...(['empty', 'altered end', 'as Basic', 'longer', 'expired', 'other scheme', 'nonsense'] as const),
    ...(['altered payload', 'alg none', 'other case', 'as Token', 'all in other case'] as const),
  ],
  basic: ['empty', 'other scheme', 'nonsense'],
  key: ['empty', 'altered end', 'longer', 'nonsense', 'other case', 'all in other case'],
};

/** Changes of which an operation gets one early: a server that accepts any other one usually accepts one of them. */
const usual: ReadonlySet<CredentialChange> = new Set(['empty', 'altered end', 'as Basic', 'longer', 'expired']);

/** Changes of the name of the scheme. */
const ofScheme: ReadonlySet<CredentialChange> = new Set(['as Basic', 'as Token', 'other scheme']);

function changesOf(scheme: SecurityScheme, { hasExpired }: Means): readonly CredentialChange[] {
  if (scheme.type === 'mutualTLS') return [];
  const kind =
    scheme.key !== undefined ? 'key' : scheme.scheme === 'basic' ? 'basic' : takesToken(scheme) ? 'token' : 'key';
  return changes[kind].filter((change) => change !== 'expired' || hasExpired);
}

/** Operations that get a wrong credential: more could lock out the address of the run. */
const mostWrong = 100;

/** All changes of a credential early on one read, and one of them on each other operation: the others follow after all other probes. */
export function changedProbes(about: About): Probe[] {
  const { contract, operation, means, index, isCheapRead, isCalledOften } = about;
  const closed = closedOf(operation);
  return [...new Set(closed.flatMap(Object.keys))].flatMap((name) => {
    const scheme = contract.schemes[name];
    if (scheme === undefined) return [];
    // Another scheme may be that of another alternative.
    const all = changesOf(scheme, means).filter((change) => closed.length === 1 || !ofScheme.has(change));
    if (all.length === 0) return [];
    const drawn = scheme.scheme === 'basic' ? all : all.filter((change) => usual.has(change));
    const early = isCheapRead(name) ? all : drawn.slice(index % drawn.length).slice(0, 1);
    const late = isCalledOften ? all.filter((change) => !early.includes(change)) : [];
    const probes = [...early, ...late].map((change) =>
      probeOf(about, accessCheck.invalid, {
        name: `${change}, ${name}`,
        worth: late.includes(change) ? 1.2 - all.indexOf(change) / 50 : isCheapRead(name) ? 6 : 4.3,
        mostRequests: 2,
        ask:
          index < mostWrong
            ? askAs({ changed: change, of: name }, 'the credential has another form', open)
            : async () => 'the limit of wrong credentials was reached',
      }),
    );
    if (!isCheapRead(name) || scheme.key !== undefined) return probes;
    const ask = askWithControl(
      { changed: 'scheme in lower case', of: name },
      'the name of the scheme is in lower case',
    );
    return [
      ...probes,
      probeOf(about, accessCheck.refused, { name: 'scheme in lower case', worth: 3, mostRequests: 3, ask }),
    ];
  });
}

/** Of the secret of a client, two wrong ones are sent in a run: more could lock the client. */
const ofSecret = ['empty secret', 'altered secret'] as const;

/** Wrong secrets at the token endpoint, where the accepted request has the secret: in `Authorization`, or in its form. */
export function secretProbes(about: About): Probe[] {
  const { contract, operation, means } = about;
  if (!isTokenEndpoint(contract, operation)) return [];
  const closed = closedOf(operation).flatMap(Object.keys);
  const basic = closed.find((name) => contract.schemes[name]?.scheme === 'basic');
  return ofSecret.map((change) =>
    probeOf(about, accessCheck.invalid, {
      ...{ name: `${change}, client`, worth: 3, mostRequests: 1 },
      ask: async (bench) => {
        const { draft, send, facts } = bench;
        if (facts.has(open)) return 'the operation accepts requests without credentials';
        const form = draft.body?.value;
        const secret = isObject(form) ? form.client_secret : undefined;
        if (draft.body !== undefined && isObject(form) && typeof secret === 'string') {
          const value = { ...form, client_secret: changeSecret(secret, change) };
          await send({ ...draft, body: { ...draft.body, value } }, 'case', { polarity: 'grey' });
          return undefined;
        }
        if (basic === undefined || !means.hasClient) return 'the accepted request has no secret of a client';
        return askAs({ changed: change, of: basic }, 'the credentials are none of a client', open)(bench);
      },
    }),
  );
}
