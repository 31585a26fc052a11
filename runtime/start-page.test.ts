import { expect, test } from 'vitest';
import { formatStartPage } from './start-page.ts';

const hostile = `"><script>alert('1')</script>&amp;`;

test('what is in a contract is text on the page, wherever it stands', () => {
  const operation = {
    ...{ operationId: hostile, method: hostile, path: hostile, summary: hostile, curl: hostile, href: hostile },
    isImplemented: true,
  };
  const page = formatStartPage({
    ...{ title: hostile, version: hostile, kind: hostile, notes: [hostile] },
    addresses: [{ url: hostile, operations: 1 }],
    operations: [operation],
  });
  expect(page).not.toMatch(/<script|&amp;lt|"">/);
  expect(page.match(/&quot;&gt;&lt;script&gt;alert\(&#39;1&#39;\)&lt;\/script&gt;&amp;amp;/g)).toHaveLength(14);
});
