import { access, constants, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { memberOf } from '../contract/document.ts';
import { messageOf } from '../contract/printable.ts';
import { openGrowingFile } from '../reports/growing-file.ts';
import { createHar } from '../reports/har.ts';
import { harFile, reports } from '../reports/reports.ts';
import type { RunEvents, RunResult } from '../run/run.ts';
import type { OptionValues } from './options.ts';

/** The files that a run writes. */
export interface Outputs {
  /** Writes the files that grow during the run. */
  readonly events: RunEvents;
  /** Writes the reports. @returns why writing is not possible */
  readonly finish: (result: RunResult) => Promise<string | undefined>;
}

/**
 * Opens the outputs before the first request, not after an hour of them.
 *
 * @returns why writing is not possible
 */
export async function openOutputs({ report, out }: OptionValues): Promise<Outputs | string> {
  const explain = (error: unknown): string => {
    const code = memberOf(error, 'code');
    const why = code === 'EEXIST' || code === 'ENOTDIR' ? 'a file with this name exists' : messageOf(error);
    return `--out ${out} cannot be written: ${why}.`;
  };
  try {
    if (report.length > 0) {
      await mkdir(out, { recursive: true });
      await access(out, constants.W_OK);
    }
    const file = report.includes('har') ? openGrowingFile(join(out, harFile)) : undefined;
    const har = file && createHar(file.write, Date.now());
    return {
      events: { ...(har && { onExchange: har.add }) },
      finish: async (result) => {
        har?.end();
        const fault = file?.close();
        const written = report.filter((name) => name !== 'har').map((name) => reports[name]);
        return Promise.all(written.map((one) => writeFile(join(out, one.file), one.format(result)))).then(
          () => (fault === undefined ? undefined : `${harFile} in --out ${out} is incomplete: ${fault}.`),
          explain,
        );
      },
    };
  } catch (error) {
    return explain(error);
  }
}
