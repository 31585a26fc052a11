import { PassThrough, Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { readPassword } from './read-password.ts';

describe('from a file or a program', () => {
  test.each([
    ['correct horse', 'correct horse'],
    ['correct horse\n', 'correct horse'],
    ['correct horse\r\n', 'correct horse'],
    [' correct horse ', ' correct horse '],
    ['pässwörter 🐢\n', 'pässwörter 🐢'],
    ['', ''],
  ])('%j is the password %j', async (text, password) => {
    // A pipe may deliver a password in several pieces.
    expect(await readPassword(Readable.from(Array.from(Buffer.from(text), (byte) => Buffer.of(byte))))).toBe(password);
  });

  test.each([
    ['one\ntwo', 'more than one line'],
    ['one\n\n', 'more than one line'],
    ['one\rtwo', 'more than one line'],
    [Buffer.of(0x66, 0xff, 0x66), 'not UTF-8'],
    ['x'.repeat(5000), 'more than a password'],
  ])('%j is refused: %s', async (given, message) => {
    await expect(readPassword(Readable.from([Buffer.from(given)]))).rejects.toMatchObject({
      name: 'WrongUse',
      message: expect.stringContaining(message),
    });
  });

  test('an endless input is not waited for', async () => {
    const endless = new Readable({ read: (size) => void endless.push(Buffer.alloc(size, 'x')) });
    await expect(readPassword(endless)).rejects.toThrow('more than a password');
  });
});

describe('on a terminal', () => {
  test('is asked for twice, and not shown', async () => {
    const { type, shown, password, modes } = ask();
    await type('correct hörse\r');
    await type('correct horse\u007f\u007f\u007f\u007f\u007fhörse\r'); // corrected on the way
    expect(await password).toBe('correct hörse');
    expect(shown()).toBe('Password: \nThe same again: \n');
    expect(modes).toEqual([true, false]);
  });

  test('is refused where the two differ', async () => {
    const { type, shown, password } = ask();
    const refused = expect(password).rejects.toThrow(
      /^The two passwords differ; nothing changed\.\n.*--password-stdin < FILE$/,
    );
    await type('correct horse\r');
    await type('correct house\r');
    await refused;
    expect(shown()).not.toMatch(/horse|house/);
  });

  test('may be pasted with both of its lines', async () => {
    const { type, password } = ask();
    await type('correct horse\rcorrect horse\r');
    expect(await password).toBe('correct horse');
  });

  test.each([
    ['Ctrl-C', '\u0003'],
    ['Ctrl-D', '\u0004'],
  ])('is given up by %s, and the terminal is as before', async (_, key) => {
    const { type, password, modes } = ask();
    const refused = expect(password).rejects.toThrow(/^No password was given; nothing changed\./);
    await type(key);
    await refused;
    expect(modes.at(-1)).toBe(false);
  });
});

/** A simulated terminal. `modes`: whether it was raw, a mode that does not show typed text. */
function ask() {
  const modes: boolean[] = [];
  const input = Object.assign(new PassThrough(), { isTTY: true, setRawMode: (raw: boolean) => modes.push(raw) });
  const output = new PassThrough();
  const texts: string[] = [];
  output.on('data', (chunk) => texts.push(String(chunk)));
  const password = readPassword(input, output);
  const type = async (keys: string) => {
    input.write(keys);
    for (let turns = 0; turns < 10; turns += 1) await setImmediate();
  };
  return { type, shown: () => texts.join(''), password, modes };
}
