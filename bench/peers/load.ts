// One round of load, as a process of its own: `node load.ts REQUEST`, JSON of what autocannon takes. Prints milliseconds for 1000 requests;
// with anything but 2xx it exits with 1.
import autocannon from 'autocannon';

const request = JSON.parse(process.argv[2] ?? '{}') as autocannon.Options;
const { requests = [], connections = 1 } = request;
let clients = 0;
const result = await autocannon({
  ...request,
  // Each connection begins elsewhere in the list, so that no two ask for the same at once.
  setupClient: (client) => {
    const from = Math.floor((clients * requests.length) / connections);
    clients += 1;
    if (requests.length > 0) client.setRequests([...requests.slice(from), ...requests.slice(0, from)]);
  },
});
if (result.non2xx > 0 || result.errors > 0) {
  process.stderr.write(`${request.url}: ${result.non2xx} refused, ${result.errors} failed\n`);
  process.exit(1);
}
process.stdout.write(`${(result.duration * 1e6) / result['2xx']}\n`);
