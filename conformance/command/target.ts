import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { createSecureContext, getCACertificates, setDefaultCACertificates } from 'node:tls';
import { messageOf, printable } from '../contract/printable.ts';
import { createConnection } from '../execute/connection.ts';
import type { RunOptions } from '../run/run.ts';
import type { OptionValues } from './options.ts';

/**
 * Makes this process trust further authorities, besides those of the system: for the deployment, and for a contract from an address.
 *
 * @returns why not; undefined where that went well or nothing was asked for
 */
export async function trustAuthorities({ ca }: OptionValues): Promise<string | undefined> {
  if (ca === undefined) return undefined;
  const text = await readPem('--ca', ca);
  if (typeof text === 'object') return text.fault;
  const certificates = text.match(/-----BEGIN CERTIFICATE-----.+?-----END CERTIFICATE-----/gs) ?? [];
  try {
    for (const certificate of certificates) new X509Certificate(certificate);
  } catch (error) {
    return `--ca ${ca}: a certificate in it cannot be read: ${messageOf(error)}.`;
  }
  if (certificates.length === 0) return `--ca ${ca} holds no certificate: PEM is wanted, -----BEGIN CERTIFICATE-----.`;
  setDefaultCACertificates([...getCACertificates('default'), ...certificates]);
  return undefined;
}

/** The client certificate that connections show. */
export async function readClientCertificate({
  cert,
  key,
  keyPassword,
}: OptionValues): Promise<{ readonly tls: RunOptions['tls'] } | { readonly fault: string }> {
  if (cert === undefined || key === undefined) return { tls: undefined };
  const [certText, keyText] = await Promise.all([readPem('--cert', cert), readPem('--key', key)]);
  if (typeof certText === 'object') return certText;
  if (typeof keyText === 'object') return keyText;
  const tls = { cert: certText, key: keyText, ...(keyPassword !== undefined && { passphrase: keyPassword }) };
  try {
    createSecureContext(tls);
    return { tls };
  } catch (error) {
    const hint = keyPassword === undefined && /ENCRYPTED/.test(keyText) ? ' It is encrypted: give --key-password.' : '';
    return { fault: `--cert ${cert} and --key ${key} cannot be used together: ${messageOf(error)}.${hint}` };
  }
}

async function readPem(option: string, file: string): Promise<string | { readonly fault: string }> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    return { fault: `${option} ${file} cannot be read: ${messageOf(error)}.` };
  }
}

interface Waiting {
  readonly withinMs: number;
  readonly tls: RunOptions['tls'];
  readonly stream: { write(text: string): unknown };
  readonly signal: AbortSignal;
}

/** Between two looks, between two lines about it, and the longest that one look takes. */
const [lookMs, lineMs, mostLookMs] = [200, 5_000, 5_000];

/**
 * Looks at a base URL until anything answers there, whatever it is: a deployment that is still starting. It asks without
 * credentials, with a GET.
 *
 * @returns undefined when it has answered, or the wait was broken off; else what was seen instead of an answer
 */
export async function waitForTarget(
  baseUrl: string,
  { withinMs, tls, stream, signal }: Waiting,
): Promise<string | undefined> {
  const started = performance.now();
  const left = (): number => started + withinMs - performance.now();
  const seconds = (): string => ((performance.now() - started) / 1000).toFixed(1);
  let lastLine = Number.NEGATIVE_INFINITY;
  for (;;) {
    const connection = createConnection({
      timeoutMs: Math.max(1, Math.ceil(Math.min(mostLookMs, left()))),
      signal,
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
    if (outcome.kind === 'answer') {
      if (lastLine > 0) stream.write(`${baseUrl} answers after ${seconds()} s.\n`);
      return undefined;
    }
    if (left() <= lookMs) return outcome.says;
    if (performance.now() - lastLine >= lineMs) {
      stream.write(`Waiting for ${baseUrl}: ${printable(outcome.says)} (${seconds()} s of ${withinMs / 1000} s)\n`);
      lastLine = performance.now();
    }
    await sleep(lookMs, undefined, { signal }).catch(() => undefined);
  }
}
