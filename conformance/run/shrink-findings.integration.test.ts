import { describe, expect, test } from 'vitest';
import { isObject, parseJson } from '../contract/document.ts';
import type { FoundFailures } from '../failures/failure-file.ts';
import { seededFaults } from '../seeded/all-faults.ts';
import { type ApiName, apis, runAgainst } from '../seeded/apis.ts';
import { injectFault, phasesFor, type SeededFault } from '../seeded/faults.ts';
import type { Handler } from '../seeded/serve.ts';
import type { RunOptions, Shrunk } from './run.ts';

// If these fail, a developer searches in a large request, or a finding shows a request that is no proof of it.

interface Case {
  readonly api: ApiName;
  readonly create: string;
  readonly at: RegExp;
  /** The server fails if the content has this member. */
  readonly member: string;
  readonly change: Partial<RunOptions>;
  /** The smallest content. */
  readonly want: object;
}

const cases: readonly Case[] = [
  {
    ...{
      api: 'depot',
      create: 'addParcel',
      at: /^POST .*\/parcels$/,
      member: 'receiver',
      change: { phases: ['boundary'] },
    },
    want: { grams: expect.any(Number), receiver: { name: expect.any(String) } },
  },
  {
    ...{ api: 'library', create: 'addBook', at: /^POST \/v2\/books$/, member: 'due', change: { phases: ['story'] } },
    want: { title: expect.any(String), pages: expect.any(Number), due: expect.any(String) },
  },
];

/** A server that fails on content with a member. @param isOn whether it fails at present */
function failingOn({ api, at, member }: Case, isOn = () => true): Handler {
  return injectFault(
    {
      at,
      instead: (request, handle) => {
        const content = parseJson(request.body);
        const isFailing = isObject(content) && Object.hasOwn(content, member);
        return isFailing ? { status: 500, body: { reason: 'no handler' } } : handle(request);
      },
    },
    apis[api].create(),
    isOn,
  );
}

/** Runs against a server, and returns what was shrunk with the failures of the file. */
async function run(one: Pick<Case, 'api' | 'change'>, handle: Handler, onShrinking?: () => void, signal?: AbortSignal) {
  const shrunk: Shrunk[] = [];
  let failures: readonly FoundFailures[] = [];
  const events = {
    onShrink: (own: Shrunk): unknown => shrunk.push(own),
    onFailures: (found: readonly FoundFailures[]): unknown => (failures = found),
    onProgress: ({ phase }: { readonly phase: string }): unknown => phase === 'shrink' && onShrinking?.(),
  };
  const ran = await runAgainst(one.api, handle, one.change, undefined, events, signal);
  return { ...ran, shrunk, failures };
}

const contentOf = ({ after }: Shrunk): unknown => parseJson(after.sent.slice(after.sent.indexOf('{')));
const bytesOf = ({ exchanges }: Shrunk['after']): number =>
  exchanges.reduce((sum, { body }) => sum + (body?.bytes ?? 0), 0);

describe.each(cases)('a finding about $member in $api', (one) => {
  test('becomes the smallest request, in the report and for a replay', async () => {
    const { shrunk, failures, result } = await run(one, failingOn(one));
    const [shown] = shrunk as [Shrunk];
    expect(shrunk).toHaveLength(1);
    expect(contentOf(shown)).toEqual(one.want);
    expect(bytesOf(shown.after)).toBeLessThan(bytesOf(shown.before));
    expect(result.findings).toEqual([shown.after]);
    const [failure] = failures[0]?.failures ?? [];
    expect(failure?.chain?.requests.at(-1)?.body?.value).toEqual(one.want);
    const { id, detectedAtRequest, detectedAtMs, severity, occurrences } = shown.before;
    expect(shown.after).toMatchObject({ id, detectedAtRequest, detectedAtMs, severity });
    expect(shown.after.occurrences.map(({ fingerprint }) => fingerprint)).toEqual(
      occurrences.map(({ fingerprint }) => fingerprint),
    );
    expect(shown.after.shownRequest).toBeGreaterThan(result.requests - result.shrinkRequests);
    expect(shown.requests).toBeLessThanOrEqual(50);
    expect(result.leftBehind.map(({ operation }) => operation)).not.toContain(one.create);
  });

  test('has the same requests for any number of workers', async () => {
    const logs = [];
    for (const workers of [1, 4, 16]) {
      const { log, result } = await run({ ...one, change: { ...one.change, workers } }, failingOn(one));
      logs.push({ sent: result.findings.map(({ sent }) => sent), shrinking: log.slice(-result.shrinkRequests) });
    }
    expect(logs[0]?.shrinking.length).toBeGreaterThan(2);
    expect(logs).toEqual([logs[0], logs[0], logs[0]]);
  });

  test('stays as it was if the failure is flaky', async () => {
    let sent = 0;
    let isShrinking = false;
    const isOn = (): boolean => {
      sent += isShrinking ? 1 : 0;
      return sent < 4;
    };
    const { shrunk } = await run(one, failingOn(one, isOn), () => (isShrinking = true));
    expect(sent).toBeGreaterThan(3);
    expect(shrunk.map(({ after }) => after)).toEqual(shrunk.map(({ before }) => before));
  });

  test('stays as it was after an interruption, and the objects of the run are deleted', async () => {
    const interruption = new AbortController();
    const { shrunk, result } = await run(one, failingOn(one), () => interruption.abort(), interruption.signal);
    expect(shrunk.every(({ before, after }) => before === after)).toBe(true);
    expect(result.findings).toEqual(shrunk.map(({ before }) => before));
    expect(result.leftBehind.map(({ operation }) => operation)).not.toContain(one.create);
  });

  test('stays as it was if the server gives no answer or asks to wait, and nothing more is tried', async () => {
    for (const answer of [
      { status: 200, instead: 'reset' },
      { status: 429, headers: { 'retry-after': '60' } },
    ] as const) {
      let isShrinking = false;
      let sent = 0;
      const failing = failingOn(one);
      const handle: Handler = (request) => {
        if (!isShrinking || request.method !== 'POST') return failing(request);
        sent += 1;
        return answer;
      };
      const { shrunk, result } = await run(one, handle, () => (isShrinking = true));
      expect(shrunk.map(({ after }) => after)).toEqual(shrunk.map(({ before }) => before));
      expect([sent, result.failure]).toEqual([1, undefined]);
    }
  });

  test('is not sent again if it is known', async () => {
    const { result } = await run(one, failingOn(one));
    const known = result.findings.map(({ id }) => ({ id, reason: 'later', until: '2026-12-31' }));
    const again = await run({ ...one, change: { ...one.change, known } }, failingOn(one));
    expect([again.result.known.length, again.result.shrinkRequests]).toEqual([1, 0]);
  });
});

test('a server that accepts each title once, and never again after a deletion, gets new ones', async () => {
  const [, one] = cases as [Case, Case];
  const titles = new Set<unknown>();
  const handle = failingOn(one);
  const once: Handler = (request) => {
    const content = request.method === 'POST' ? parseJson(request.body) : undefined;
    const title = isObject(content) ? content.title : undefined;
    if (title !== undefined && titles.has(title)) return { status: 400, body: { reason: 'title exists' } };
    titles.add(title);
    return handle(request);
  };
  const { shrunk } = await run(one, once);
  expect(shrunk.map(contentOf)).toEqual([one.want]);
});

test('a budget of requests is for the phases: shrinking and the clean-up come after it', async () => {
  const [one] = cases as [Case];
  const budget = { requests: 60, milliseconds: undefined };
  const { result } = await run({ ...one, change: { phases: ['story', 'boundary'], budget } }, failingOn(one));
  expect(result.requests - result.shrinkRequests).toBeLessThanOrEqual(60);
  expect(result.shrinkRequests).toBeGreaterThan(0);
});

const faultNamed = (name: string): SeededFault => {
  const found = seededFaults.find((fault) => fault.name === name);
  if (found === undefined) throw new Error(`no fault ${name}`);
  return found;
};

test('with --read-only, shrinking sends only reads', async () => {
  const fault = faultNamed('a list needs no key');
  const permissions = { effects: [], readOnly: true, writes: 'restore' } as const;
  const change = { permissions, phases: phasesFor(fault) };
  const { result, served } = await run({ api: fault.api, change }, injectFault(fault, apis[fault.api].create()));
  expect(result.shrinkRequests).toBeGreaterThan(0);
  expect(served.requests.filter((line) => !/^(GET|HEAD|OPTIONS) /.test(line))).toEqual([]);
});

test('an action is never sent again, with any permission', async () => {
  const fault = faultNamed('a 500 to an action on every object');
  const permissions = { effects: ['remote', 'physical'], readOnly: false, writes: 'all' } as const;
  const change = { permissions, phases: phasesFor(fault) };
  const { result } = await run({ api: fault.api, change }, injectFault(fault, apis[fault.api].create()));
  expect([result.findings.length, result.shrinkRequests]).toEqual([1, 0]);
});

describe('a chain without some of its steps and parts shows nothing once the fault is gone', () => {
  const check = async (fault: SeededFault): Promise<void> => {
    let isOn = true;
    const correct = apis[fault.api].create();
    const careless = fault.edits === undefined ? correct : apis[fault.api].create(fault.edits);
    const handle = injectFault(
      fault,
      (request) => (isOn ? careless : correct)(request),
      () => isOn,
    );
    const timeoutMs = fault.caughtBy.keyword === 'timeout' ? 300 : 30_000;
    const shrunk: Shrunk[] = [];
    const onProgress = ({ phase }: { readonly phase: string }): void => {
      if (phase === 'shrink') isOn = false;
    };
    const change = { timeoutMs, phases: phasesFor(fault), ...fault.options };
    await runAgainst(fault.api, handle, change, fault.amend, { onProgress, onShrink: (one) => shrunk.push(one) });
    expect(shrunk.map(({ after }) => after)).toEqual(shrunk.map(({ before }) => before));
  };
  /** One of every third check. */
  const chosen = [...Map.groupBy(seededFaults, ({ caughtBy }) => caughtBy.check).values()].flatMap(([first], index) =>
    first === undefined || index % 3 > 0 ? [] : first,
  );
  test.each(chosen)('$api: $name', check);
  const others = seededFaults.filter((fault) => !chosen.includes(fault));
  test.each(others)('$api: $name', { tags: ['full'] }, check);
});
