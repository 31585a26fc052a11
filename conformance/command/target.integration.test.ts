import { execFile, execFileSync, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createSecureServer, type Http2SecureServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { conformHere, type Ended } from '../fixtures/conform-here.ts';
import { serveProxy } from '../fixtures/serve-proxy.ts';

const main = fileURLToPath(new URL('../main.ts', import.meta.url));
const hasOpenssl = spawnSync('openssl', ['version']).status === 0;

const contract = `
openapi: 3.1.0
info: {title: Vault, version: '1'}
paths:
  /door:
    get:
      operationId: readDoor
      security: [{certificate: []}]
      responses:
        '200': {description: The door, content: {application/json: {schema: {type: object, required: [open]}}}}
        '401': {description: Who is there?}
components:
  securitySchemes: {certificate: {type: mutualTLS}}
`;

const home = process.cwd();
let folder: string;
let server: Http2SecureServer;
/** Versions of HTTP that the requests for the door had; the server prefers HTTP/2. */
const versions = new Set<string>();
let origin: string;

/** Certificates of the test's authority, for the server and for a client whose key is encrypted. */
function makeCertificates(): void {
  const openssl = (...args: string[]): unknown => execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' });
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256'];
  openssl(
    'req',
    '-x509',
    ...key,
    '-nodes',
    '-subj',
    '/CN=authority',
    '-days',
    '2',
    '-keyout',
    'ca.key',
    '-out',
    'ca.pem',
  );
  const sign = (name: string, ...more: string[]): void => {
    openssl('req', ...key, '-subj', `/CN=${name}`, '-keyout', `${name}.key`, '-out', `${name}.csr`, ...more);
    const by = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-days', '2', '-copy_extensions', 'copy'];
    openssl('x509', '-req', '-in', `${name}.csr`, '-out', `${name}.pem`, ...by);
  };
  sign('server', '-nodes', '-addext', 'subjectAltName=IP:127.0.0.1');
  sign('client', '-passout', 'pass:key-password');
}

/** For rows that fail before a request: this process would go on trusting the authorities of a run. */
function refuse(...args: string[]): Promise<Ended> {
  return conformHere(['--contract', `${origin}/contract.yaml`, '--base-url', origin, ...args]);
}

function conform(...args: string[]): Promise<Ended> {
  const line = [main, '--contract', `${origin}/contract.yaml`, '--base-url', origin, ...args];
  return new Promise((resolve) => {
    execFile(process.execPath, line, { cwd: folder }, (failure, out, error) =>
      resolve({ code: failure === null ? 0 : Number(failure.code), out, error }),
    );
  });
}

describe.skipIf(!hasOpenssl)('certificates (skipped where no openssl is on the PATH to make them)', () => {
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'lockstep-conform-'));
    process.chdir(folder);
    makeCertificates();
    const read = (name: string): Promise<string> => readFile(join(folder, name), 'utf8');
    const [key, cert, ca] = await Promise.all([read('server.key'), read('server.pem'), read('ca.pem')]);
    const options = { key, cert, ca, requestCert: true, rejectUnauthorized: false, allowHTTP1: true };
    server = createSecureServer(options, (request, response) => {
      const isKnown = 'authorized' in request.socket && request.socket.authorized === true;
      if (request.url === '/door') versions.add(request.httpVersion);
      if (request.url === '/contract.yaml') response.end(contract);
      else
        response
          .writeHead(isKnown ? 200 : 401, { 'content-type': 'application/json', 'www-authenticate': 'X' })
          .end('{"open":false}');
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    origin = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(async () => {
    process.chdir(home);
    server.close();
    await rm(folder, { recursive: true });
  });

  const trusted = ['--ca', 'ca.pem'];
  const client = ['--cert', 'client.pem', '--key', 'client.key'];

  test('the client sends its certificate, and trusts those of the given authority', async () => {
    const { code, out } = await conform(
      ...trusted,
      ...client,
      '--key-password',
      'key-password',
      '--wait-for-target',
      '20s',
    );
    expect(out).toContain('Covered: 1 of 1 operation accepted');
    expect(code).toBe(0);
    expect([...versions]).toEqual(['1.1']);
  });

  test('a proxy only forwards octets: contract, certificate and answers are the same through its tunnels', async () => {
    const proxy = await serveProxy();
    const { code, out } = await conform(
      ...[...trusted, ...client, '--key-password', 'key-password', '--proxy', proxy.uri],
    );
    await proxy.close();
    expect(out).toContain('Covered: 1 of 1 operation accepted');
    expect([code, new Set(proxy.requests)]).toEqual([0, new Set([`CONNECT ${new URL(origin).host}`])]);
    expect(proxy.requests.length).toBeGreaterThan(1);
  });

  test('without a certificate the request is rejected, and the message names it', async () => {
    const { code, out } = await conform(...trusted);
    expect(code).toBe(2);
    expect(out).toContain('the server answered only 401');
  });

  test('a server certificate of an unknown authority is refused, with the reason', async () => {
    const { code, error } = await conform(...client, '--key-password', 'key-password');
    expect(code).toBe(2);
    expect(error).toMatch(/The contract cannot be read: .*certificate/);
  });

  test.each([
    {
      name: 'an encrypted key without its password',
      args: client,
      message:
        /--cert client.pem and --key client.key cannot be used together: .+ The key is encrypted: give --key-password\./,
    },
    {
      name: 'a key of another certificate',
      args: ['--cert', 'client.pem', '--key', 'server.key'],
      message: /cannot be used together: .*key/i,
    },
    {
      name: 'a missing file',
      args: ['--cert', 'client.pem', '--key', 'gone.key'],
      message: /--key gone\.key cannot be read: ENOENT/,
    },
    {
      name: 'an authority without a certificate',
      args: ['--ca', 'empty.pem'],
      message: /--ca empty\.pem contains no certificate: expected PEM/,
    },
    {
      name: 'a broken authority',
      args: ['--ca', 'broken.pem'],
      message: /--ca broken\.pem: a certificate of this file cannot be read/,
    },
  ])('2 for $name', async ({ args, message }) => {
    await writeFile(join(folder, 'empty.pem'), 'nothing');
    await writeFile(join(folder, 'broken.pem'), '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n');
    const { code, error } = await refuse(...args);
    expect(code).toBe(2);
    expect(error).toMatch(message);
  });
});
