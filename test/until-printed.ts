import type { ChildProcess } from 'node:child_process';

/**
 * The output of the process up to and including these words. Its output can be read on afterwards.
 *
 * @throws Error with its whole output, when it exits without them
 */
export async function untilPrinted(child: ChildProcess, words: string): Promise<string> {
  let printed = '';
  for await (const text of child.stdout?.setEncoding('utf8').iterator({ destroyOnReturn: false }) ?? []) {
    printed += text;
    if (printed.includes(words)) return printed;
  }
  throw new Error(`It ended without printing ${words}, after: ${printed}`);
}
