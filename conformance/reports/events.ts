import type { Contract } from '../contract/contract.ts';
import { printableJson } from '../contract/printable.ts';
import type { RunEvents, RunOptions, RunResult } from '../run/run.ts';
import { version } from '../version.ts';

export interface EventStream {
  readonly start: (contract: Contract, options: RunOptions) => void;
  readonly events: RunEvents;
  readonly end: (result: RunResult, exitCode: number) => void;
}

/**
 * The events of a run as NDJSON, one object a line; `events.schema.json` describes them.
 *
 * @param write gets whole lines, as soon as their events happen
 */
export function createEventStream(write: (line: string) => void): EventStream {
  const emit = (event: string, members: object): void => write(`${printableJson({ event, ...members })}\n`);
  return {
    start: ({ title, file: contractFile }, { baseUrl, authUrl, seed, now, permissions }) =>
      emit('start', {
        ...{ version, title, contractFile, baseUrl, authUrl, seed, now: new Date(now).toISOString() },
        writes: permissions.readOnly ? 'read-only' : permissions.writes,
        effects: permissions.effects,
      }),
    events: {
      onProgress: (progress) => emit('progress', progress),
      onRequest: (line, exchange) => {
        if (exchange === undefined) return emit('request', { line });
        const { number, outcome } = exchange;
        const status = outcome.kind === 'answer' ? outcome.status : 0;
        emit('request', { line, number, status, durationMs: outcome.durationMs });
      },
      onFinding: (finding) => emit('finding', { finding }),
    },
    end: ({ verdict, message, fix, findings, warnings, requests, durationMs }, exitCode) =>
      emit('end', {
        ...{ verdict, exitCode, message, fix },
        defects: findings.filter(({ severity }) => severity === 'defect').length,
        inconclusive: findings.filter(({ severity }) => severity === 'suspect').length,
        warnings: warnings.length,
        ...{ requests, durationMs },
      }),
  };
}
