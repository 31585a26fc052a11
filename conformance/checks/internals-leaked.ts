import { answerOf } from './answered.ts';
import { type ExchangeCheck, planWholeAnswer, wholeAnswer } from './check.ts';

/** Marks of a server's inside, each of which hardly stands in an answer by chance. */
const marks: readonly { readonly what: string; readonly shows: RegExp }[] = [
  { what: 'a JavaScript stack frame', shows: /\bat (?:[\w$.<>]+ \()?(?:file:\/\/)?[\w/.\\:-]+\.[cm]?[jt]s:\d+:\d+\)?/ },
  { what: 'a Python traceback', shows: /Traceback \(most recent call last\)|File "[^"]+", line \d+, in / },
  { what: 'a Java stack frame', shows: /\bat [\w$.]+\([\w$]+\.(?:java|kt|scala):\d+\)/ },
  { what: 'a Go or Ruby stack frame', shows: /goroutine \d+ \[|\.rb:\d+:in [`']/ },
  { what: 'a .NET stack frame', shows: /\bat [\w.`<>]+\([^)]*\) in [^\s]+\.cs:line \d+/ },
  {
    what: 'a database error',
    shows:
      /SQLSTATE\[|SQLITE_[A-Z]+|\bORA-\d{5}\b|PG::\w+Error|syntax error at or near "|You have an error in your SQL syntax/,
  },
  {
    what: 'a file path of the server',
    shows:
      /(?:\/usr\/|\/home\/|\/var\/|\/opt\/|\/app\/|[A-Z]:\\)[\w./\\-]*(?:node_modules|site-packages|\.(?:js|ts|py|rb|php|java)\b)/,
  },
];

export function findInternals(text: string): { readonly what: string } | undefined {
  return marks.find(({ shows }) => shows.test(text));
}

export const internalsLeaked: ExchangeCheck = {
  name: 'internals-leaked',
  about: 'a refusal or failure shows stack frames, SQL or file paths of the server (suspect)',
  plan: planWholeAnswer,
  needs: () => 'refusal or failure',
  judge: (exchange) => {
    const { answer } = answerOf(exchange) ?? {};
    if (answer === undefined || answer.status < 400) return [];
    const found = findInternals(answer.body.toString());
    if (found === undefined) return [{ place: wholeAnswer, failures: [] }];
    return [
      {
        place: wholeAnswer,
        failures: [
          {
            check: 'internals-leaked',
            severity: 'suspect',
            place: `response ${answer.status} body`,
            pointer: exchange.operation.pointer,
            keyword: found.what,
            says: `the body shows ${found.what}`,
            causes: [[found.what]],
          },
        ],
      },
    ];
  },
};
