import { createInterface } from 'node:readline';
import { type Readable, Writable } from 'node:stream';
import { WrongUse } from '@lockstep/shell/wrong-use';

/** More than any password, in bytes: whoever pipes something else shall not wait for its end. */
const mostBytes = 4096;

const inFile = 'To read it from a file: --password-stdin < FILE';

/**
 * Reads a password from stdin: its one line, or from a terminal twice, without showing it.
 *
 * @param output where a terminal is asked: stderr, since stdout may be read by a program
 * @throws WrongUse where there is no such line, or the two differ
 */
export async function readPassword(
  input: Readable & { readonly isTTY?: boolean },
  output: Writable = process.stderr,
): Promise<string> {
  return input.isTTY ? askTwice(input, output) : readLine(input);
}

async function readLine(input: Readable): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of input) {
    chunks.push(Buffer.from(chunk));
    if (Buffer.concat(chunks).length > mostBytes) throw new WrongUse('stdin has more than a password in it.');
  }
  const text = decode(Buffer.concat(chunks)).replace(/\r?\n$/, '');
  if (/[\r\n]/.test(text)) throw new WrongUse('stdin has more than one line: the password is the only one.');
  return text;
}

function decode(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new WrongUse('stdin is not UTF-8, which the password has to be.', { cause });
  }
}

async function askTwice(input: Readable, output: Writable): Promise<string> {
  // Lines are edited as ever; what would be shown goes nowhere.
  const unseen = new Writable({ write: (_chunk, _encoding, written) => written() });
  const terminal = createInterface({ input, output: unseen, terminal: true, historySize: 0 });
  const lines = terminal[Symbol.asyncIterator]();
  const ask = async (question: string) => {
    output.write(question);
    const line = await lines.next(); // Ctrl-C and Ctrl-D end them
    output.write('\n');
    if (line.done) throw new WrongUse(`No password was given; nothing changed.\n${inFile}`);
    return line.value;
  };
  try {
    const [first, second] = [await ask('Password: '), await ask('The same again: ')];
    if (first !== second) throw new WrongUse(`The two differ; nothing changed.\n${inFile}`);
    return first;
  } finally {
    terminal.close();
  }
}
