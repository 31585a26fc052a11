// Requests without credentials, or without one of several that are needed together.
import { accessCheck } from '../checks/access.ts';
import { slotsOf } from '../resources/slots.ts';
import { type About, askAs, closedOf, open, probeOf } from './access-probe.ts';
import { aroundDeletion } from './other-account.ts';
import type { Bench, Probe } from './probe.ts';
import { withUnknownId } from './request-objects.ts';

export function missingProbes(about: About): Probe[] {
  const { contract, operation } = about;
  const probes: Probe[] = [
    ...(operation.method === 'get' && slotsOf(operation.path).length > 0
      ? [probeOf(about, accessCheck.existence, { name: 'unknown id', worth: 3, mostRequests: 3, ask: askExistence })]
      : []),
    probeOf(about, accessCheck.missing, {
      ...{ name: 'no credentials', worth: 10, mostRequests: 3 },
      ask: (bench) =>
        aroundDeletion(bench, () => askAs('anonymous', 'a client certificate identifies every request')(bench)),
    }),
  ];
  const joint = closedOf(operation).find((alternative) => Object.keys(alternative).length > 1);
  const names = closedOf(operation).length === 1 && joint !== undefined ? Object.keys(joint) : [];
  for (const name of names.filter((one) => contract.schemes[one]?.type !== 'mutualTLS')) {
    const ask = askAs({ lacking: name }, `the credential of ${name} cannot be left out alone`, open);
    probes.push(probeOf(about, accessCheck.missing, { name: `without ${name}`, worth: 5, mostRequests: 2, ask }));
  }
  return probes;
}

/** Asks without credentials for an object, and for one that exists nowhere: the answers have to be the same. */
async function askExistence({ context, draft, send }: Bench): Promise<string | undefined> {
  const unknown = withUnknownId(context, draft);
  if (unknown === undefined) return 'no id that exists nowhere could be made';
  const sent = await send({ ...unknown, identity: 'anonymous' }, 'case');
  if (sent === undefined) return 'a client certificate identifies every request';
  if (sent.outcome.kind !== 'answer' || ![404, 410].includes(sent.outcome.status)) return undefined;
  await send({ ...draft, identity: 'anonymous' }, 'known id');
  await send({ ...unknown, identity: 'anonymous' }, 'repeat');
  return undefined;
}
