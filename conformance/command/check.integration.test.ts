import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { conformHere, type Ended } from '../fixtures/conform-here.ts';
import { apis } from '../seeded/apis.ts';
import { injectFault, withItem } from '../seeded/faults.ts';
import { libraryKey } from '../seeded/library.ts';
import { type Handler, serve } from '../seeded/serve.ts';

// If these fail, recorded traffic that breaks the contract passes, or traffic that keeps it does not.

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lockstep-check-'));
});
afterEach(async () => {
  await rm(folder, { recursive: true });
});

const browserHar = fileURLToPath(new URL('../fixtures/library-browser.har', import.meta.url));

const check = (file: string, ...more: readonly string[]): Promise<Ended> =>
  conformHere(['check', file, '--contract', apis.library.file, '--out', folder, '--json', ...more]);

interface Har {
  readonly log: { readonly entries: Entry[] };
}

interface Entry {
  request: { method: string; url: string; headers: { name: string; value: string }[] };
  response: { status: number; content: { text?: string; size: number }; headers: { name: string; value: string }[] };
}

/** The recording of a browser with other entries. */
async function changed(change: (entries: Entry[]) => void): Promise<string> {
  const har: Har = JSON.parse(await readFile(browserHar, 'utf8'));
  change(har.log.entries);
  const file = join(folder, 'browser.har');
  await writeFile(file, JSON.stringify(har));
  return file;
}

/** The recording of a run by this runner. */
async function recordRun(handle: Handler): Promise<{ readonly file: string; readonly run: Ended }> {
  const served = await serve(handle);
  try {
    const target = ['--contract', apis.library.file, '--base-url', `${served.origin}${apis.library.base}`];
    const options = ['--token', libraryKey, '--phase', 'baseline', 'auth', '--report', 'har', '--json'];
    const run = await conformHere([...target, ...options, '--out', folder]);
    return { file: join(folder, 'traffic.har'), run };
  } finally {
    await served.close();
  }
}

const foundIn = ({ out }: Ended): readonly string[] =>
  JSON.parse(out).findings.map(
    ({ check: name, operation, pointer, severity }: Record<string, string>) =>
      `${severity} ${name} ${operation} ${pointer}`,
  );

describe('the recording of a run', () => {
  test('of a correct server has no finding, and holds the comparisons of credentials', async () => {
    const { file } = await recordRun(apis.library.create());
    const checked = await check(file);
    expect(foundIn(checked)).toEqual([]);
    expect(checked.code).toBe(0);
    const { obligations } = JSON.parse(checked.out);
    const missing = obligations.filter((one: { check: string }) => one.check === 'auth-missing');
    expect(missing.some(({ state }: { state: string }) => state === 'met')).toBe(true);
  });

  test('has the findings of the run', async () => {
    const wrong = (item: Record<string, unknown>): void => {
      item.pages = 'many';
    };
    const handle = injectFault({ at: /^GET \/v2\/books$/, change: withItem('items', wrong) }, apis.library.create());
    const { file, run } = await recordRun(handle);
    const checked = await check(file);
    expect(foundIn(run)).toHaveLength(1);
    expect(foundIn(checked)).toEqual(foundIn(run));
    expect(checked.code).toBe(1);
  });
});

describe('the recording of a browser', () => {
  test('is judged by the contract, and the address is found in it', async () => {
    const { code, out, error } = await check(browserHar);
    expect(error).toContain('at http://127.0.0.1:8917/v2: 8 recorded exchanges');
    const result = JSON.parse(out);
    expect([result.verdict, result.requests, result.findings]).toEqual(['passed', 8, []]);
    expect(code).toBe(0);
    expect(result.notTested.join('\n')).toContain('not judged, as the recording has no content of this answer');
    expect(result.notTested.join('\n')).toContain('only a run sends the requests that it compares');
    expect(out).not.toContain(libraryKey);
  });

  test('shows an answer that breaks the contract, in every report', async () => {
    const file = await changed((entries) => {
      const { content } = entries[2]?.response ?? {};
      if (content?.text !== undefined) content.text = content.text.replace('474', '"474"');
    });
    const reports = 'console,json,junit,markdown,har';
    const checked = await check(file, '--report', reports);
    expect(foundIn(checked)).toEqual([
      'defect body-schema readBook #/components/schemas/Book/allOf/0/properties/pages/type',
    ]);
    expect(checked.code).toBe(1);
    const files = await readdir(folder);
    expect(files).toEqual(
      expect.arrayContaining(['report.txt', 'report.json', 'junit.xml', 'summary.md', 'traffic.har']),
    );
    const texts = await Promise.all(files.map((name) => readFile(join(folder, name), 'utf8')));
    for (const text of texts.filter((one) => !one.includes('"Playwright"'))) expect(text).not.toContain(libraryKey);
  });

  test('shows an accepted request without credentials next to one with them', async () => {
    const file = await changed((entries) => {
      const [last, list] = [entries.at(-1), entries[1]];
      if (last !== undefined && list !== undefined) last.response = list.response;
    });
    const checked = await check(file);
    expect(foundIn(checked)).toEqual(['defect auth-missing listBooks #/security']);
  });

  test('without any credential shows nothing about them', async () => {
    const file = await changed((entries) => {
      for (const { request } of entries)
        request.headers = request.headers.filter(({ name }) => name.toLowerCase() !== 'x-library-key');
    });
    expect(foundIn(await check(file))).toEqual([]);
  });

  test('with hidden values of headers and content has no finding', async () => {
    const file = await changed((entries) => {
      const [, list, book] = entries;
      for (const header of list?.response.headers ?? []) if (header.name === 'x-total') header.value = '***';
      if (book?.response.content.text !== undefined)
        book.response.content.text = book.response.content.text.replace('474', '"[REDACTED]"');
    });
    const checked = await check(file);
    expect(foundIn(checked)).toEqual([]);
    expect(JSON.parse(checked.out).notTested.join('\n')).toContain(
      'not judged, as the recording hides the value: listBooks header-schema response 200 header X-Total',
    );
  });

  test('with requests of no operation names them', async () => {
    const file = await changed((entries) => {
      const [first] = entries;
      if (first !== undefined) first.request.url = 'http://127.0.0.1:8917/health';
    });
    const { out } = await check(file);
    expect(JSON.parse(out).notTested[0]).toBe('1 recorded exchange in no operation of the contract: GET /health');
  });
});

describe('2 and a message that names the fix', () => {
  test('a file that is not there', async () => {
    const { code, error } = await check(join(folder, 'none.har'));
    expect([code, error]).toEqual([2, expect.stringMatching(/none\.har cannot be read: .+\n$/)]);
  });

  test('a report that would replace the recording', async () => {
    const { code, error } = await check(join(folder, 'traffic.har'), '--report', 'har');
    expect(code).toBe(2);
    expect(error).toContain('--report har would replace the recording: name another folder with --out.');
  });

  test('traffic of another address', async () => {
    const { code, error } = await check(browserHar, '--base-url', 'http://api.example/v2');
    expect(code).toBe(2);
    expect(error).toContain(
      'has no request of the contract at http://api.example/v2. It has requests at http://127.0.0.1:8917 (8)',
    );
  });

  test('traffic of several deployments', async () => {
    const file = await changed((entries) => {
      for (const { request } of entries.slice(4)) request.url = request.url.replace('127.0.0.1:8917', 'other.example');
    });
    const { code, error } = await check(file);
    expect(code).toBe(2);
    expect(error).toContain(
      'choose one with --base-url. There are: http://127.0.0.1:8917/v2 (4), http://other.example/v2 (4).',
    );
    expect((await check(file, '--base-url', 'http://other.example/v2')).code).toBe(0);
  });
});
