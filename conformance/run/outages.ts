import type { AcceptedWrite, Interrupted, NumberedExchange, Outage, OutgoingRequest } from '../execute/exchange.ts';
import type { Failure } from '../failures/failure.ts';

/** A failure with the exchanges that show it, the likeliest first. */
export interface Blame {
  readonly failure: Failure;
  readonly exchanges: readonly NumberedExchange[];
}

/** Most names in one sentence. */
const mostNamed = 6;

/**
 * Who stopped a deployment, told when all is known that the run can know: a defect where a request broke it, a suspect where
 * several may have, or nobody did that was seen. One that was told to stop has done as it was told: see {@link explainOutages}.
 *
 * @param exchangeOf the exchange of a request; undefined where it is not kept any more
 */
export function judgeOutages(
  outages: readonly Outage[],
  exchangeOf: (request: OutgoingRequest) => NumberedExchange | undefined,
): readonly Blame[] {
  const broken = outages.filter((outage) => !isTold(outage));
  const sure = new Set(broken.flatMap(culpritsOf).map(({ operation }) => operation));
  const told = new Set<OutgoingRequest>();
  return broken.flatMap((outage): Blame[] => {
    const culprits = culpritsOf(outage);
    const open = outage.interrupted.filter(({ alone }) => alone === 'unknown');
    const candidates = culprits.length > 0 ? culprits : open;
    // One that stopped it another time, when nobody else could have, is why; and when it was sent again, it is the same finding.
    if (culprits.length === 0 && open.some(({ operation }) => sure.has(operation))) return [];
    if (culprits.length > 0 && culprits.every(({ request }) => told.has(request))) return [];
    for (const { request } of culprits) told.add(request);
    const [write] = outage.accepted;
    const parts = candidates.length > 0 ? candidates : [write ?? outage.last];
    const exchanges = parts.flatMap((part) => (part === undefined ? [] : (exchangeOf(part.request) ?? [])));
    const [first] = exchanges;
    if (first === undefined) return [];
    const isSure = culprits.some(({ isAnsweredLater }) => !isAnsweredLater) || isGoneWith(outage, open);
    const failure: Failure = {
      check: 'no-answer',
      severity: isSure ? 'defect' : 'suspect',
      place: 'response',
      pointer: first.operation.pointer,
      keyword: 'stopped',
      clause: 'RFC 9110 3.4',
      says: describe(outage, candidates),
      causes: [['stopped', ...parts.flatMap((part) => part?.operation.id ?? [])]],
    };
    return [{ failure, exchanges }];
  });
}

/** Each time that it was told to stop, with the accepted request that did. */
export function explainOutages(outages: readonly Outage[]): readonly string[] {
  return outages.filter(isTold).map((outage) => {
    const [first] = outage.accepted;
    const before = first === undefined ? '' : describeWrite(first);
    return `The deployment stopped after it had accepted ${before}, and ${describeReturn(outage)}.`;
  });
}

function isTold({ accepted }: Outage): boolean {
  return accepted[0]?.isStop === true;
}

/**
 * Those that have stopped it beyond doubt: one that did so again when it was sent alone, or the only one that is left when all
 * others that were under way were answered.
 */
function culpritsOf({ interrupted }: Outage): readonly Interrupted[] {
  const again = interrupted.filter(({ alone }) => alone === 'stopped it again');
  if (again.length > 0) return again;
  const open = interrupted.filter(({ alone }) => alone === 'unknown');
  return open.length === 1 ? open : [];
}

/** It did not come back, so that none of those under way can be cleared: one of them it was. */
function isGoneWith({ awayMs }: Outage, open: readonly Interrupted[]): boolean {
  return awayMs === undefined && open.length > 0;
}

function describe(outage: Outage, candidates: readonly Interrupted[]): string {
  const others = outage.interrupted.filter((one) => !candidates.includes(one)).map(({ operation }) => operation.id);
  const cleared =
    others.length === 0 ? '' : `; ${nameSome(others)}, also under way, was answered when sent again alone`;
  const writes = outage.accepted.map(describeWrite).slice(0, 3);
  const before = writes.length === 0 ? '' : `; accepted just before: ${writes.join(', ')}`;
  const returned = `the deployment stopped and ${describeReturn(outage)}`;
  const [only] = candidates;
  if (only === undefined) {
    const last = outage.last === undefined ? '' : `; answered last: ${outage.last.operation.id}`;
    return `${returned}, and no request is known to have broken it${before || last}${cleared}`;
  }
  if (candidates.length > 1) {
    return `${returned}; under way were: ${nameSome(candidates.map(({ operation }) => operation.id))}${before}${cleared}`;
  }
  const again = only.alone === 'stopped it again' ? ', and again when it was sent alone' : '';
  const later = only.isAnsweredLater ? '; another request of this operation was answered later' : '';
  return `${returned} while ${only.operation.id} was under way${again}${later}${before}${cleared}`;
}

function describeReturn({ awayMs, waitedMs }: Outage): string {
  return awayMs === undefined ? `did not come back within ${seconds(waitedMs)}` : `came back after ${seconds(awayMs)}`;
}

function describeWrite({ operation, status, beforeMs }: AcceptedWrite): string {
  return `${operation.id} (${status}, ${seconds(beforeMs)} before)`;
}

function seconds(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(1)} s`;
}

function nameSome(names: readonly string[]): string {
  const some = [...new Set(names)];
  return `${some.slice(0, mostNamed).join(', ')}${some.length > mostNamed ? ` and ${some.length - mostNamed} more` : ''}`;
}
