import { checks as allChecks } from '../checks/checks.ts';
import { refuseOperation } from '../plan/permissions.ts';
import { orderOperations, planObligations, selectOperations } from '../plan/plan.ts';
import type { RawOptions } from './options.ts';
import { prepareRun, type Streams } from './run.ts';

/** Prints the order of operations and what is to be established about each; sends nothing. */
export async function planCommand(raw: RawOptions, streams: Streams): Promise<number> {
  const prepared = await prepareRun(raw, streams, false);
  if (typeof prepared === 'number') return prepared;
  const { contract, run, values } = prepared;
  const { selected } = selectOperations(contract.operations, run.selection);
  const checks = allChecks.filter(({ name }) => run.checks.length === 0 || run.checks.includes(name));
  const obligations = Map.groupBy(
    planObligations(selected, checks).close(() => 'nothing was sent'),
    ({ operation }) => operation,
  );
  const rounds = orderOperations(selected).map((round, index) => ({
    round: index + 1,
    operations: round.map((operation) => ({
      operation: operation.id,
      request: `${operation.method.toUpperCase()} ${operation.path}`,
      notSent: refuseOperation(contract, operation, run.permissions),
      obligations: (obligations.get(operation.id) ?? []).map(({ check, place }) => `${check}: ${place}`),
    })),
  }));
  const text = rounds.flatMap(({ round, operations }) => [
    `Round ${round}`,
    ...operations.flatMap(({ operation, request, notSent, obligations: own }) => [
      `  ${operation}   ${request}${notSent === undefined ? '' : `   not sent: ${notSent}`}`,
      ...own.map((one) => `    ${one}`),
    ]),
  ]);
  streams.out.write(values.json ? `${JSON.stringify({ rounds })}\n` : `${text.join('\n')}\n`);
  return 0;
}
