import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { oneItem } from './conform-contract.ts';

// A bare server in a process of its own: the same small body for every request, whose content it reads and drops.
const body = JSON.stringify(oneItem);
const server = createServer((request, response) => {
  request.resume();
  response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': body.length }).end(body);
}).listen(0, '127.0.0.1', () => {
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`);
});
