import { expect, test } from 'vitest';
import { checks } from '../checks/checks.ts';
import { conformHere } from '../fixtures/conform-here.ts';

const laws = checks.flatMap((check) => Object.keys(check.laws ?? {}).map((law) => `${check.name}/${law}`));
const names = [...checks.map(({ name }) => name), ...laws];

test('a name, with or without its check, names one explanation', () => {
  const all = [...checks.map(({ name }) => name), ...laws.flatMap((name) => [name, name.split('/')[1] ?? ''])];
  expect(all.filter((name, index) => all.indexOf(name) !== index)).toEqual([]);
});

test.each(names)('explains %s in at most eight lines, without an empty member', async (name) => {
  const { code, out, error } = await conformHere(['explain', name]);
  expect([code, error]).toEqual([0, '']);
  const [head = '', ...lines] = out.trimEnd().split('\n');
  expect(head).toMatch(new RegExp(`^${name}: \\S.+`));
  const members = ['effect', 'clause', 'example', 'fix', 'allow', 'silence'];
  expect(lines.slice(0, 6)).toEqual(members.map((member) => expect.stringMatching(`^  ${member} +[^\\s:;].+`)));
  expect(lines.length).toBeLessThanOrEqual(7);
});

test('prints the texts of one law, by its name alone', async () => {
  const { out } = await conformHere(['explain', '405-allow']);
  expect(out).toBe(`http-law/405-allow: a 405 without the header Allow
  effect    Clients, caches and proxies rely on HTTP, whatever the contract declares.
  clause    RFC 9110 15.5.6
  example   GET /books/7: 405 without Allow
  fix       Send Allow with the methods of the path, as in: GET, PUT.
  allow     None: a contract cannot change HTTP.
  silence   Accept single findings under \`known\` in the config file, or give --check the names of all checks but http-law.
`);
});

test('lists every check and law without a name', async () => {
  const { code, out } = await conformHere(['explain']);
  const listed = out
    .trimEnd()
    .split('\n')
    .map((line) => line.split(' ')[0]);
  expect([code, listed.sort()]).toEqual([0, [...names].sort()]);
});

test('prints JSON, of one check or of all', async () => {
  const one = JSON.parse((await conformHere(['explain', 'http-law', '--json'])).out);
  expect(Object.keys(one)).toEqual([
    ...['name', 'about', 'effect', 'clauses', 'example', 'fix', 'allow', 'silence', 'laws'],
  ]);
  const all = JSON.parse((await conformHere(['explain', '--json'])).out);
  expect(all.map(({ name }: { name: string }) => name).sort()).toEqual([...names].sort());
});

test.each([
  {
    given: 'bodyschema',
    message: 'No check is called bodyschema. Did you mean body-schema? Without a name, explain lists all.',
  },
  { given: 'http-law/405-alow', message: 'No check is called http-law/405-alow. Did you mean 405-allow?' },
  { given: 'schema', message: 'No check is called schema. Did you mean body-schema, header-schema?' },
  { given: 'zzz', message: 'No check is called zzz. Without a name, explain lists all.' },
  {
    given: '0123abcd',
    message:
      '0123abcd is the id of a finding: replay 0123abcd sends its requests again. explain needs the check, the first word of the finding.',
  },
])('2 for $given, with the nearest names', async ({ given, message }) => {
  const { code, out, error } = await conformHere(['explain', given]);
  expect([code, out]).toEqual([2, '']);
  expect(error).toContain(message);
});
