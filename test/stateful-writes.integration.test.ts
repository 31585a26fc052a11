import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Note, startNotes } from './fixtures/notes.ts';

// If this fails, two clients of a mock lose each other's changes, or see a state that no order of their requests gives.

const writers = 60;

let running: Awaited<ReturnType<typeof startNotes>>;
beforeAll(async () => {
  running = await startNotes();
});
afterAll(() => running.close());

test('parallel writes to one item take effect one after the other', async () => {
  const created = await fetch(`${running.origin}/notes`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ text: 'shared' }),
  });
  const { id } = (await created.json()) as Note;
  const write = async (_: unknown, writer: number) => {
    const response = await fetch(`${running.origin}/notes/${id}`, {
      method: 'PATCH',
      headers: { 'Content-Type': 'application/merge-patch+json' },
      body: JSON.stringify({ [`writer${writer}`]: writer }),
    });
    const item = (await response.json()) as Note;
    return { version: response.headers.get('etag'), members: Object.keys(item).filter((name) => name in own), writer };
  };
  const own = Object.fromEntries(Array.from({ length: writers }, (_, writer) => [`writer${writer}`, writer]));
  const answers = await Promise.all(Array.from({ length: writers }, write));

  // Each answer has the change of its own request and those of all before it, and none of a later one.
  const inOrder = answers.toSorted((a, b) => a.members.length - b.members.length);
  expect(new Set(inOrder.map(({ version }) => version))).toHaveLength(writers);
  for (const [index, { members, writer }] of inOrder.entries()) {
    const before = inOrder.slice(0, index).map((one) => `writer${one.writer}`);
    expect(new Set(members)).toEqual(new Set([...before, `writer${writer}`]));
  }
  const last = await fetch(`${running.origin}/notes/${id}`);
  expect(await last.json()).toEqual({ id, text: 'shared', ...own });
});
