import { createInterface } from 'node:readline';
import { type Readable, Writable } from 'node:stream';
import { WrongUse } from '@lockstep/shell/wrong-use';

/** More bytes than any password, so that the command doesn't wait for the end of an endless pipe. */
const mostBytes = 4096;

const inFile = 'To read it from a file: --password-stdin < FILE';

/**
 * Reads a password from stdin: one line, or twice from a terminal without showing it.
 *
 * @param output for the prompts: stderr, since a program may read stdout
 * @throws WrongUse for more than one line, no input, or two different ones
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
    if (Buffer.concat(chunks).length > mostBytes)
      throw new WrongUse('stdin contains more than a password. Give the password as its only line.');
  }
  const text = decode(Buffer.concat(chunks)).replace(/\r?\n$/, '');
  if (/[\r\n]/.test(text)) throw new WrongUse('stdin has more than one line. Give the password as its only line.');
  return text;
}

function decode(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new WrongUse('stdin is not UTF-8. Give the password in that encoding.', { cause });
  }
}

async function askTwice(input: Readable, output: Writable): Promise<string> {
  // readline edits the line, and its output is discarded.
  const unseen = new Writable({ write: (_chunk, _encoding, written) => written() });
  const terminal = createInterface({ input, output: unseen, terminal: true, historySize: 0 });
  const lines = terminal[Symbol.asyncIterator]();
  const ask = async (question: string) => {
    output.write(question);
    const line = await lines.next(); // done after Ctrl-C and Ctrl-D
    output.write('\n');
    if (line.done) throw new WrongUse(`No password was given; nothing changed.\n${inFile}`);
    return line.value;
  };
  try {
    const [first, second] = [await ask('Password: '), await ask('The same again: ')];
    if (first !== second) throw new WrongUse(`The two passwords differ; nothing changed.\n${inFile}`);
    return first;
  } finally {
    terminal.close();
  }
}
