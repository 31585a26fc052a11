import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { createSecureContext, getCACertificates, setDefaultCACertificates } from 'node:tls';
import { messageOf, printable } from '../contract/printable.ts';
import { createConnection } from '../execute/connection.ts';
import { ofProxies } from '../execute/proxy.ts';
import type { RunOptions } from '../run/run.ts';
import type { OptionValues } from './options.ts';

/** Trusts further authorities in this process: for the deployment, and for a contract from an address. */
export async function trustAuthorities({ ca }: OptionValues, faults: string[]): Promise<void> {
  if (ca === undefined) return;
  const text = await readOptionFile('--ca', ca, faults);
  if (text === undefined) return;
  const certificates = text.match(/-----BEGIN CERTIFICATE-----.+?-----END CERTIFICATE-----/gs) ?? [];
  try {
    for (const certificate of certificates) new X509Certificate(certificate);
    if (certificates.length > 0) setDefaultCACertificates([...getCACertificates('default'), ...certificates]);
    else faults.push(`--ca ${ca} contains no certificate: expected PEM, -----BEGIN CERTIFICATE-----.`);
  } catch (error) {
    faults.push(`--ca ${ca}: a certificate of this file cannot be read: ${messageOf(error)}.`);
  }
}

export async function readClientCertificate(
  { cert: certFile, key: keyFile, keyPassword: passphrase }: OptionValues,
  faults: string[],
): Promise<RunOptions['tls']> {
  if (certFile === undefined || keyFile === undefined) return undefined;
  const cert = await readOptionFile('--cert', certFile, faults);
  const key = cert === undefined ? undefined : await readOptionFile('--key', keyFile, faults);
  if (cert === undefined || key === undefined) return undefined;
  const tls = { cert, key, ...(passphrase !== undefined && { passphrase }) };
  try {
    createSecureContext(tls);
  } catch (error) {
    const hint = passphrase === undefined && /ENCRYPTED/.test(key) ? ' The key is encrypted: give --key-password.' : '';
    faults.push(`--cert ${certFile} and --key ${keyFile} cannot be used together: ${messageOf(error)}.${hint}`);
  }
  return tls;
}

/** The text of a file that an option names; undefined, with one more fault, if it cannot be read. */
export async function readOptionFile(option: string, file: string, faults: string[]): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    faults.push(`${option} ${file} cannot be read: ${messageOf(error)}.`);
    return undefined;
  }
}

interface Waiting {
  readonly withinMs: number;
  readonly tls: RunOptions['tls'];
  readonly proxy: RunOptions['proxy'];
  readonly stream: { write(text: string): unknown };
  readonly signal: AbortSignal;
}

/** Time between two requests, between two lines of progress, and the timeout of one request. */
const [requestMs, lineMs, timeoutMs] = [200, 5_000, 5_000];

/**
 * Sends GET requests without credentials to a base URL until any answer comes: the deployment may still be starting.
 *
 * @returns undefined after an answer or an interruption, else why the last request had no answer
 */
export async function waitForTarget(
  baseUrl: string,
  { withinMs, tls, proxy, stream, signal }: Waiting,
): Promise<string | undefined> {
  const started = performance.now();
  const left = (): number => started + withinMs - performance.now();
  const seconds = (): string => ((performance.now() - started) / 1000).toFixed(1);
  let lastLine = Number.NEGATIVE_INFINITY;
  for (;;) {
    const connection = createConnection({
      timeoutMs: Math.max(1, Math.ceil(Math.min(timeoutMs, left()))),
      signal,
      proxy,
      ...(tls && { tls }),
    });
    const outcome = await connection.send({
      method: 'GET',
      base: baseUrl,
      path: '',
      headers: [['accept', '*/*']],
      body: undefined,
    });
    await connection.close();
    if (outcome === undefined || signal.aborted) return undefined;
    const isOfProxy = proxy !== undefined && outcome.kind === 'answer' && ofProxies.has(outcome.status);
    if (outcome.kind === 'answer' && !isOfProxy) {
      if (lastLine > 0) stream.write(`${baseUrl} answers after ${seconds()} s.\n`);
      return undefined;
    }
    const why = outcome.kind === 'answer' ? `the proxy answers ${outcome.status}` : outcome.message;
    if (left() <= requestMs) return why;
    if (performance.now() - lastLine >= lineMs) {
      stream.write(`Waiting for ${baseUrl}: ${printable(why)} (${seconds()} s of ${withinMs / 1000} s)\n`);
      lastLine = performance.now();
    }
    await sleep(requestMs, undefined, { signal }).catch(() => undefined);
  }
}
