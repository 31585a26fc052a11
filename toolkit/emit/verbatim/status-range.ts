// The statuses of HTTP in handlers.gen.ts: of answers by range (`4XX`) or `default`, and those that an operation doesn't declare.

// Copied from here on.

export type Digit = '0' | '1' | '2' | '3' | '4' | '5' | '6' | '7' | '8' | '9';
export type StatusRange<Class extends string = '1' | '2' | '3' | '4' | '5'> =
  `${Class}${Digit}${Digit}` extends infer Text
    ? Text extends `${infer Status extends number}`
      ? Status
      : never
    : never;
