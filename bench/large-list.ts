import contract from '@lockstep/contract/contract.json' with { type: 'json' };
import { operations } from '@lockstep/contract/operations';
import { createRequestCheck } from '../runtime/validation/check-request.ts';
import { createSchemaCompiler } from '../runtime/validation/compile-schema.ts';
import { median, type Question } from './question.ts';

const rounds = 15;
const items = 80_000;
const mediaType = 'application/json';

/** Each a push that its size lets in and its `maxItems` does not. */
const bodies = Object.entries({ numbers: '1', texts: '""', objects: '{}' }).map(
  ([name, item]) => [name, Buffer.from(`{"logsPayload":[${Array(items).fill(item).join()}]}`)] as const,
);

/** The peer is the least that can be done with a JSON body: one blocked loop serves nobody. */
export const largeList: Question = {
  asks: `How long does a push of ${items.toLocaleString('en')} items block the loop until it is rejected, compared with parsing its JSON alone?`,
  async run(progress) {
    const checkRequest = createRequestCheck(
      { document: contract, compile: createSchemaCompiler(contract) },
      operations.pushDeviceActivity,
    );
    const refuse = (bytes: Buffer): void => {
      const checked = checkRequest({
        rawPathValues: new Map([['deviceId', 'LK1']]),
        query: [],
        headers: {},
        body: { bytes, mediaType, declaredType: mediaType },
      });
      if (checked.kind !== 'faults') throw new Error('the list was let through');
    };
    const rows = bodies.flatMap(([name]) => [
      { name: `refuse ${name}`, milliseconds: [] as number[] },
      { name: `parse ${name}`, milliseconds: [] as number[] },
    ]);
    // Three rounds more than counted warm both up.
    for (let round = -3; round < rounds; round += 1) {
      progress(`round ${round + 1} of ${rounds}`);
      for (const [index, [, bytes]] of bodies.entries())
        for (const [place, task] of [refuse, (given: Buffer) => JSON.parse(given.toString())].entries()) {
          const startedAt = performance.now();
          task(bytes);
          if (round >= 0) rows[index * 2 + place]?.milliseconds.push(performance.now() - startedAt);
        }
    }
    const ratios = bodies.map(([name], index) => {
      const [ours = [], peers = []] = [rows[index * 2]?.milliseconds, rows[index * 2 + 1]?.milliseconds];
      return { name, ratio: median(ours.map((ms, at) => ms / (peers[at] ?? Number.NaN))) };
    });
    return { rows, ratios, versions: {} };
  },
};
