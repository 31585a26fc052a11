// Requests without credentials, or without one of several that are needed together.
import { accessCheck, headOnly, queryOnly } from '../checks/access.ts';
import { type Draft, isAccepted } from '../execute/exchange.ts';
import { type ListShape, listShapeOf } from '../resources/list-shape.ts';
import { readPage } from '../resources/read-page.ts';
import { slotsOf } from '../resources/slots.ts';
import { type About, askAs, closed, closedOf, open, probeOf } from './access-probe.ts';
import { fewValuesOf, optionalOf, withValues } from './list-requests.ts';
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
  const ofSamePath = contract.operations.filter(({ path }) => path === operation.path);
  if (operation.method === 'get' && !ofSamePath.some(({ method }) => method === 'head'))
    probes.push(probeOf(about, accessCheck.missing, { name: headOnly, worth: 4, mostRequests: 3, ask: askHead }));
  const list = listShapeOf(contract, operation);
  if (list !== undefined && optionalOf(operation).length > 0) {
    const ask: Probe['ask'] = (bench) => askWithQuery(bench, list);
    probes.push(probeOf(about, accessCheck.missing, { name: queryOnly, worth: 1.1, mostRequests: 3, ask }));
  }
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

const notRejected = 'the request without credentials was not rejected';

/** HEAD is GET without the content of its answer (RFC 9110, 9.3.2): it needs the same credentials. */
async function askHead({ draft, send, facts }: Bench): Promise<string | undefined> {
  if (!facts.has(closed)) return notRejected;
  const head: Draft = { ...draft, edits: { ...draft.edits, method: 'HEAD' } };
  const sent = await send({ ...head, identity: 'anonymous' }, 'case', { polarity: 'grey' });
  if (sent === undefined) return 'the budget was spent';
  if (!isAccepted(sent)) return undefined;
  await send(head, 'control', { polarity: 'grey' });
  await send({ ...head, identity: 'anonymous' }, 'repeat', { polarity: 'grey' });
  return undefined;
}

/** Asks without credentials for the second page by its cursor, or for the list with one parameter more. */
async function askWithQuery(bench: Bench, list: ListShape): Promise<string | undefined> {
  const { send, facts } = bench;
  if (!facts.has(closed)) return notRejected;
  const asked = (await secondPage(bench, list)) ?? withOneMore(bench, list);
  if (asked === undefined) return 'no value is known for an optional parameter';
  const sent = await send({ ...asked, identity: 'anonymous' }, 'case');
  if (sent !== undefined && isAccepted(sent)) await send({ ...asked, identity: 'anonymous' }, 'repeat');
  return sent === undefined ? 'the budget was spent' : undefined;
}

async function secondPage({ draft, send }: Bench, list: ListShape): Promise<Draft | undefined> {
  const { step, limit } = list;
  if (step?.kind !== 'cursor') return undefined;
  const short = limit === undefined ? draft : withValues(draft, [[limit.parameter, limit.least]]);
  const sent = await send(short, 'first page');
  const next = sent && readPage(list, sent)?.next;
  return next === undefined ? undefined : withValues(short, [[step.send, next]]);
}

function withOneMore({ context, operation, draft }: Bench, { limit }: ListShape): Draft | undefined {
  for (const parameter of optionalOf(operation)) {
    if (draft.parameters.some((one) => one.parameter === parameter)) continue;
    const own = parameter === limit?.parameter ? [limit.least] : fewValuesOf(context.contract, parameter);
    const value = [...own, ...parameter.examples, 'conform'].find(
      (one) => parameter.schema === undefined || context.judge.accepts(parameter.schema, 'request', one),
    );
    if (value !== undefined) return withValues(draft, [[parameter, value]]);
  }
  return undefined;
}
