import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { formatResult } from './format-result.ts';
import { arePeersInstalled, installPeers } from './peers.ts';
import { describeMachine, type Question, type Result } from './question.ts';

const questions: Readonly<Record<string, () => Promise<Question>>> = {
  algopin: () => import('./algopin.ts').then(({ algopin }) => algopin),
  codes: () => import('./codes.ts').then(({ codes }) => codes),
  generate: () => import('./generate.ts').then(({ generate }) => generate),
  login: () => import('./login.ts').then(({ login }) => login),
  'large-list': () => import('./large-list.ts').then(({ largeList }) => largeList),
  requests: () => import('./requests.ts').then(({ requests }) => requests),
  postgres: () => import('./postgres.ts').then(({ postgres }) => postgres),
  mock: () => import('./mock.ts').then(({ mock }) => mock),
  sandbox: () => import('./sandbox.ts').then(({ sandbox }) => sandbox),
  start: () => import('./start.ts').then(({ start }) => start),
  'conform-start': () => import('./conform-start.ts').then(({ conformStart }) => conformStart),
  'conform-speed': () => import('./conform-speed.ts').then(({ conformSpeed }) => conformSpeed),
  operations: () => import('./operations.ts').then(({ operations }) => operations),
  'activity-http': () => import('./activity-http.ts').then(({ activityHttp }) => activityHttp),
  'store-activity': () => import('./store-activity.ts').then(({ storeActivity }) => storeActivity),
  'device-list': () => import('./device-list.ts').then(({ deviceList }) => deviceList),
};

const help = `Usage: npm run bench -- [NAME...] [--large] [--save] [--json]

Compares each question with its peers in one run, as a ratio: ${Object.keys(questions).join(', ')}.
  --large  the largest counts too, where a question has them; minutes longer
  --save   keep the figures as bench/NAME.result.json
  --json   print one JSON value per question instead of a table (npm run -s bench keeps npm's own lines out)

Some compare with packages that nothing else needs, installed by ${installPeers}. Exit codes: 0 fine, 1 failed, 2 wrong usage, or those missing.
`;

const { names, options } = readArguments();
if (names !== undefined) {
  const asked = await Promise.all(names.map(async (name) => ({ name, question: await questions[name]?.() })));
  const lacking = arePeersInstalled()
    ? []
    : asked.filter(({ question }) => question?.needsPeers).map(({ name }) => name);
  if (lacking.length > 0) {
    process.stderr.write(`What ${lacking.join(', ')} compares with is not installed. Install it: ${installPeers}\n`);
    process.exitCode = 2;
  } else for (const { name, question } of asked) if (question !== undefined) await answer(name, question);
}

async function answer(name: string, question: Question): Promise<void> {
  process.stderr.write(`${name}: ${question.asks}\n`);
  const result: Result = {
    asks: question.asks,
    ...(await question.run(progress, { large: options.large === true })),
    machine: describeMachine(),
  };
  progress('');
  process.stdout.write(options.json ? `${JSON.stringify(result)}\n` : formatResult(result));
  if (options.save) {
    await writeFile(new URL(`${name}.result.json`, import.meta.url), `${JSON.stringify(result, null, 2)}\n`);
  }
}

function progress(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${text}`);
}

function readArguments() {
  try {
    const { positionals, values } = parseArgs({
      allowPositionals: true,
      options: {
        large: { type: 'boolean' },
        save: { type: 'boolean' },
        json: { type: 'boolean' },
        help: { type: 'boolean', short: 'h' },
      },
    });
    const unknown = positionals.filter((name) => !Object.hasOwn(questions, name));
    if (values.help) process.stdout.write(help);
    if (unknown.length > 0) throw new Error(`there is no question ${unknown.join(', ')}`);
    const chosen = positionals.length === 0 ? Object.keys(questions) : positionals;
    return { names: values.help ? undefined : chosen, options: values };
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n\n${help}`);
    process.exitCode = 2;
    return { names: undefined, options: {} };
  }
}
