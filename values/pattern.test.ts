import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readPattern, samplePatterns } from './pattern.ts';

const bounds = { min: 0, max: 64 };

/** Patterns of real contracts, with possible lengths of their texts. */
const found: readonly [name: string, source: string, ...lengths: number[]][] = [
  ['UUID', '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$', 36],
  [
    'UUID of version 4',
    '^[0-9a-fA-F]{8}\\b-[0-9a-fA-F]{4}\\b-4[0-9a-fA-F]{3}\\b-[89ab][0-9a-fA-F]{3}\\b-[0-9a-fA-F]{12}$',
    36,
  ],
  ['ULID', '^[0-7][0-9A-HJKMNP-TV-Z]{25}$', 26],
  ['object id', '^[a-f\\d]{24}$', 24],
  ['prefixed id', '^cus_[A-Za-z0-9]+$', 5, 12, 300],
  ['opaque id', '^[A-Za-z0-9_-]{10,64}$', 10, 40, 64],
  ['date', '^\\d{4}-\\d{2}-\\d{2}$', 10],
  ['date with ranges', '^(19|20)\\d\\d-(0[1-9]|1[012])-(0[1-9]|[12]\\d|3[01])$', 10],
  ['time', '^([01]?[0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9])?$', 4, 5, 7, 8],
  ['date-time', '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(\\.\\d+)?(Z|[+-]\\d\\d:\\d\\d)$', 20, 25, 30],
  ['duration', '^P(?=.)(\\d+Y)?(\\d+M)?(\\d+D)?(T(?=.)(\\d+H)?(\\d+M)?(\\d+S)?)?$', 3, 5, 20],
  ['duration, weeks', '^P(?!$)(\\d+(?:\\.\\d+)?Y)?(\\d+W)?(T(?=\\d)(\\d+H)?(\\d+(?:\\.\\d+)?S)?)?$', 3, 9],
  [
    'semantic version',
    '^(0|[1-9]\\d*)\\.(0|[1-9]\\d*)\\.(0|[1-9]\\d*)(?:-((?:0|[1-9]\\d*|\\d*[a-zA-Z-][0-9a-zA-Z-]*)(?:\\.(?:0|[1-9]\\d*|\\d*[a-zA-Z-][0-9a-zA-Z-]*))*))?(?:\\+([0-9a-zA-Z-]+(?:\\.[0-9a-zA-Z-]+)*))?$',
    5,
    12,
    60,
  ],
  ['e-mail', '^[a-zA-Z0-9._%+-]+@[a-zA-Z0-9.-]+\\.[a-zA-Z]{2,}$', 6, 20, 100],
  ['e-mail, any', '^[^@\\s]+@[^@\\s]+\\.[^@\\s]+$', 5, 30],
  [
    'e-mail, nested',
    '^([a-zA-Z0-9_\\-\\.]+)@((\\[[0-9]{1,3}\\.){3}|(([a-zA-Z0-9\\-]+\\.)+))([a-zA-Z]{2,4})(\\]?)$',
    6,
    40,
  ],
  ['telephone, E.164', '^\\+[1-9]\\d{1,14}$', 3, 10, 16],
  ['telephone, loose', '^\\(?\\d{3}\\)?[ .-]?\\d{3}[ .-]?\\d{4}$', 10, 14],
  ['country', '^[A-Z]{2}$', 2],
  ['currency', '^[A-Z]{3}(?<!XXX)$', 3],
  ['amount', '^-?(0|[1-9]\\d{0,12})(\\.\\d{1,4})?$', 1, 8, 19],
  ['decimal in a text', '^\\s*-?[0-9]{1,10}\\s*$', 1, 30],
  ['language', '^[a-z]{2,3}(?:-[A-Z][a-z]{3})?(?:-(?:[A-Z]{2}|\\d{3}))?$', 2, 5, 12],
  ['IPv4', '^((25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)(\\.(?!$)|$)){4}$', 7, 11, 15],
  ['IPv4, plain', '^(?:[0-9]{1,3}\\.){3}[0-9]{1,3}$', 7, 15],
  ['CIDR', '^(([0-9]|[1-9][0-9]|1[0-9]{2})\\.){3}([0-9]|[1-9][0-9])(\\/([0-9]|[1-2][0-9]|3[0-2]))$', 9, 15],
  ['IPv6, whole', '^([0-9a-fA-F]{1,4}:){7}[0-9a-fA-F]{1,4}$', 15, 39],
  ['MAC address', '^(?:[0-9A-Fa-f]{2}[:-]){5}[0-9A-Fa-f]{2}$', 17],
  ['host', '^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\\.)+[a-z0-9][a-z0-9-]{0,61}[a-z0-9]$', 4, 30, 250],
  ['DNS label', '^[a-z]([-a-z0-9]*[a-z0-9])?$', 1, 2, 63],
  ['resource name', '^projects/[a-z][a-z0-9-]{4,28}[a-z0-9]/topics/[A-Za-z][\\w.~+%-]{2,254}$', 27, 100],
  ['ARN', '^arn:(aws|aws-cn|aws-us-gov):[a-z0-9-]+:[a-z0-9-]*:[0-9]{12}:[\\w+=/,.@:-]+$', 29, 60, 200],
  ['ARN of a role', 'arn:(aws[a-zA-Z-]*)?:iam::\\d{12}:role/?[a-zA-Z_0-9+=,.@\\-_/]+', 31, 40],
  ['slug', '^[a-z0-9]+(?:-[a-z0-9]+)*$', 1, 10, 80],
  ['file name', '^[^<>:;,?"*|/]+$', 1, 100],
  ['path', '^(/[^/\\0]+)+/?$', 2, 50],
  ['key of a label', '^(?![Aa][Ww][Ss]:)[\\p{L}\\p{Z}\\p{N}_.:/=+\\-@]*$', 0, 1, 128],
  ['text without controls', '^[\\u0020-\\uD7FF\\uE000-\\uFFFD\\uD800\\uDC00-\\uDBFF\\uDFFF\\r\\n\\t]*$', 0, 64],
  ['base64', '^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$', 0, 4, 400],
  ['base64url', '^[A-Za-z0-9_-]+={0,2}$', 1, 43],
  ['hexadecimal', '^(0x|0X)?[a-fA-F0-9]+$', 1, 42],
  ['SHA-256', '^[A-Fa-f0-9]{64}$', 64],
  ['colour', '^#(?:[0-9a-fA-F]{3}){1,2}$', 4, 7],
  ['web address', '^https?://[^\\s/$.?#].[^\\s]*$', 9, 10, 200],
  ['web address, nested', '^(https?://)?([\\da-z.-]+)\\.([a-z.]{2,6})([/\\w .-]*)*/?$', 4, 30, 64],
  ['JSON web token', '^[\\w-]+\\.[\\w-]+\\.[\\w-]*$', 4, 100],
  ['IBAN', '^[A-Z]{2}[0-9]{2}[a-zA-Z0-9]{4}[0-9]{7}([a-zA-Z0-9]?){0,16}$', 15, 31],
  ['post code', '^(?:[A-Z]{1,2}\\d[A-Z\\d]? ?\\d[A-Z]{2}|GIR ?0A{2})$', 5, 8],
  ['VAT number', '^(ATU\\d{8}|DE\\d{9}|FR[A-Z0-9]{2}\\d{9})$', 11, 13],
  ['plate', '^[A-ZÄÖÜ]{1,3}-[A-ZÄÖÜ]{1,2} ?\\d{1,4}$', 4, 10],
  ['cron', '^(\\*|[0-5]?\\d)( (\\*|[0-9,/-]+)){4}$', 9, 20],
  ['geohash', '^[0123456789bcdefghjkmnpqrstuvwxyz]{1,12}$', 1, 12],
  ['latitude', '^-?([1-8]?\\d(\\.\\d+)?|90(\\.0+)?)$', 1, 9],
  ['password', '^(?=.*[a-z])(?=.*[A-Z])(?=.*\\d)(?=.*[^\\da-zA-Z]).{8,}$', 8, 12, 72],
  ['password, bounds ahead', '(?=^.{8,20}$)(?=.*\\d)(?=.*[A-Z])(?!.*\\s).*$', 8, 20],
  ['user name', '^(?![-_.])(?!.*[-_.]{2})[a-zA-Z0-9._-]{3,20}(?<![-_.])$', 3, 20],
  ['quoted', '^(["\'])[^"\']*\\1$', 2, 20],
  ['tag pair', '^<([a-z]+)>[^<]*</\\1>$', 7, 40],
  ['named groups', '^(?<year>\\d{4})-W(?<week>\\d\\d)$', 8],
  ['words', '^\\w+(\\s\\w+)*$', 1, 50],
  ['whole word', '\\border\\b', 5, 20],
  ['nothing escaped', '^\\-$', 1],
  ['not empty', '\\S', 1, 40],
  ['anything', '.*', 0, 1000],
  ['empty', '^$', 0],
  ['a space inside', '^\\S+ \\S+$', 3, 9],
  ['capitals and accents', "^[A-ZÀ-Ý][a-zà-ÿ' -]+$", 2, 30],
  ['beyond ASCII', '^[^\\x00-\\x7f]{2,5}$', 2, 5],
  ['beyond the first plane', '^[\\u{1f600}-\\u{1f64f}]+$', 1, 6],
  ['letters of any script', '^\\p{Lu}\\p{Ll}+( \\p{Lu}\\p{Ll}+)*$', 2, 30],
  ['tempered', '^((?!--).)+$', 1, 30],
  ['alternatives without a group', '^a+$|^b{3}$|c', 1, 3, 7],
  ['case folded in part', '^(?i:id)-\\d+$', 4, 9],
  ['a thousand', '^.{1,1000}$', 1, 500, 1000],
  ['lines', '^(?:[^\\r\\n]{1,80}\\n?)+$', 1, 200],
  ['nested counts', '^(?:(?:[a-z]{2,20}\\.){1,50}[a-z]{2,20};){1,100}$', 6, 600],
  ['blocks the platform', '^(([a-z])+.)+[A-Z]([a-z])+$', 4, 40],
];

describe('a pattern yields a text of every length that it has', () => {
  test.each(found)('%s', (_, source, ...lengths) => {
    const texts = [1, 2, 3].map((seed) => samplePatterns([source], bounds, seed));
    expect([1, 2, 3].map((seed) => samplePatterns([source], bounds, seed))).toEqual(texts);
    const sized = lengths.map((length) => samplePatterns([source], { min: length, max: length }, 7) ?? '(none)');
    expect(sized.map((text) => [...text].length)).toEqual(lengths);
    for (const text of [...texts, ...sized]) expect(text).toMatch(byPlatform(source));
  });
});

describe('there is no text', () => {
  const none: readonly [source: string, min: number, max: number][] = [
    ['^[a-z]{3}$', 4, 9],
    ['^a{5,}$', 0, 4],
    ['a^', 0, 9],
    ['[^\\s\\S]', 0, 9],
    ['^(?!.*a)a+$', 0, 9],
    ['^(ab)*$', 3, 3],
    ['(', 0, 9],
  ];
  test.each(none)('of %s, from %i to %i characters', (source, min, max) => {
    expect(samplePatterns([source], { min, max }, 1)).toBeUndefined();
  });

  test('that only half a surrogate pair would make', () => {
    expect(samplePatterns(['^[\\uD800-\\uDBFF]$'], bounds, 1)).toBeUndefined();
  });
});

describe('several patterns share a text', () => {
  const shared: readonly (readonly string[])[] = [
    ['[a-z]', '[0-9]', '^.{4,6}$'],
    ['^[a-z0-9-]+$', '^[^-]', '[^-]$', '-'],
    ['^\\d{4}', '\\d\\d$', '^[^ ]+$', '-.*-'],
    ['^(?=.*[A-Z])', '(?=.*\\d)', '^\\w{8,16}$'],
    ['^\\-', '^[\\u{1f600}-]+$'],
  ];
  test.each(shared.map((sources) => [sources]))('%j', (sources) => {
    const text = samplePatterns(sources, bounds, 5);
    for (const source of sources) expect(text).toMatch(byPlatform(source));
  });

  test('or they have none', () => {
    expect(samplePatterns(['^a', '^b'], bounds, 1)).toBeUndefined();
    expect(samplePatterns(['a', '('], bounds, 1)).toBeUndefined();
  });
});

test('texts differ by their seed, and read well', () => {
  const texts = Array.from({ length: 50 }, (_, seed) => samplePatterns(['^[\\w.@ -]+$'], bounds, seed) ?? '');
  expect(new Set(texts).size).toBeGreaterThan(45);
  for (const text of texts) expect(text).toMatch(/^[a-z0-9]{8,12}$/);
});

/** A text of many thousand characters whose last one decides: a backtracking engine tries every combination. */
const catastrophes: readonly [source: string, text: string, want: boolean][] = [
  ['^(a+)+$', `${'a'.repeat(20_000)}!`, false],
  ['^(a+)+$', 'a'.repeat(20_000), true],
  ['(.*)*x', 'a'.repeat(20_000), false],
  ['^(x|x)*y$', 'x'.repeat(20_000), false],
  ['^(([a-z])+.)+[A-Z]([a-z])+$', 'a'.repeat(20_000), false],
  ['^([a-zA-Z0-9])(([\\-.]|[_]+)?([a-zA-Z0-9]+))*(@){1}[a-z0-9]+$', 'a'.repeat(20_000), false],
  ['^(\\w+\\s?)*$', `${'word '.repeat(4000)}!`, false],
  ['(?=(a+)+$)a', `${'a'.repeat(5000)}!`, false],
  ['^(?!(a*)*$)', 'a'.repeat(5000), false],
  ['^.{0,65535}$', 'a'.repeat(65_535), true],
  ['^.{0,65535}$', 'a'.repeat(65_536), false],
];
test.each(catastrophes)('%s is judged in a time that grows with the text', (source, text, want) => {
  expect(readPattern(source)?.test(text)).toBe(want);
});

test.each([
  '^(a?){1000}a{1000}$',
  '^(((a{1,1000}){1,1000}){1,1000}){1,1000}$',
  '^(([a-z]{1,100})+){1,1000}\\d{1000}$',
  `^${'('.repeat(24)}a${'{2,2000})'.repeat(24)}$`,
  '(x+x+)+y\\1',
  `${'('.repeat(3000)}a${')'.repeat(3000)}`,
  '^[\\s\\S]{1000000}$',
  '(?:a|b|ab)*c{2,}'.repeat(200),
])('hostile pattern %# neither stalls nor fills the memory', (source) => {
  const pattern = readPattern(source);
  samplePatterns([source], { min: 0, max: 2000 }, 1);
  expect(pattern?.test('a'.repeat(2000))).toBeTypeOf('boolean');
});

// The first and the last character limit a set's complement; the last two code points of each plane are noncharacters.
test.each(['^[^a]$', '^\\D$', '^\\W$', '^\\S$', '^.$', '^[^\\u{10ffff}]$', '^\\p{NChar}$', '^\\p{Cs}$', '^\\p{Lo}$'])(
  '%s is judged at the limits of Unicode as by the platform',
  (source) => {
    const texts = ['\0', '\x01', 'a', '\ud7fb', '\ud800', '\udfff', '\uffff', '\u{4fffd}', '\u{4fffe}', '\u{10ffff}'];
    const pattern = readPattern(source);
    expect(texts.map((text) => pattern?.test(text))).toEqual(texts.map((text) => new RegExp(source, 'u').test(text)));
  },
);

// With flag `i`, the automaton may accept more than the pattern, never less: its mismatch is final.
test.each(['^(?i:[^a])$', '^(?i:\\p{Lu})$', '^(?i:\\P{Lu})$', '^(?i:[^\\W])$', '^(?is:.)$', '^(?i:[^a]|\\-)$'])(
  '%s is judged without regard to case as the platform does',
  (source) => {
    const texts = ['a', 'A', 'k', '-', '\n', 'é', 'É', '\u017f', '\u212a'];
    const pattern = readPattern(source);
    expect(texts.map((text) => pattern?.test(text))).toEqual(texts.map((text) => byPlatform(source).test(text)));
  },
);

describe('laws', () => {
  const characters = ['a', 'b', 'A', '1', '0', '_', '-', ' ', '\n', 'é', '\u2028', '\u{1f600}', '\ud83d'];
  const text = fc.string({ unit: fc.constantFrom(...characters), maxLength: 8 });
  const sources = fc.letrec<{ whole: string; atom: string; item: string }>((tie) => ({
    atom: fc.oneof(
      fc.constantFrom('a', 'b', 'A', '1', '_', 'é', ' ', '\\n'),
      fc.constantFrom('.', '\\d', '\\w', '\\s', '\\D', '\\W', '\\S', '[ab]', '[^a]', '[^\\da-z]', '[\\w-]'),
      fc.constantFrom('\\p{L}', '\\P{Lu}', '[^\\p{N}]', '\\u{1f600}', '[é-\\u{1f600}]'),
      { weight: 2, arbitrary: tie('whole').map((inner) => `(${inner})`) },
    ),
    item: fc.oneof(
      { weight: 4, arbitrary: tie('atom') },
      {
        weight: 3,
        arbitrary: fc
          .tuple(tie('atom'), fc.constantFrom('*', '+', '?', '*?', '+?', '{2}', '{0,2}', '{1,}', '{0}'))
          .map((parts) => parts.join('')),
      },
      fc.constantFrom('^', '$', '\\b', '\\B'),
      fc.tuple(fc.constantFrom('(?=', '(?!', '(?<=', '(?<!'), tie('whole')).map(([open, inner]) => `${open}${inner})`),
    ),
    whole: fc
      .array(fc.array(tie('item'), { maxLength: 4 }), { minLength: 1, maxLength: 2 })
      .map((ways) => ways.map((items) => items.join('')).join('|')),
  })).whole;

  test('the same texts match as on the platform', () => matchesAsPlatform(100));
  test('the same texts match as on the platform, 300 times', { tags: ['full'] }, () => matchesAsPlatform(300));

  function matchesAsPlatform(numRuns: number): void {
    fc.assert(
      fc.property(sources, fc.array(text, { minLength: 8, maxLength: 8 }), (source, drawn) => {
        // The platform finds matches between the halves of a surrogate pair, where no position exists (22.2.7.2).
        const texts = /\\B|\(\?/.test(source) ? drawn.map((one) => one.replaceAll('\u{1f600}', 'é')) : drawn;
        expect(texts.map((one) => readPattern(source)?.test(one))).toEqual(
          texts.map((one) => byPlatform(source).test(one)),
        );
      }),
      { numRuns },
    );
  }

  test('so it is without flag u', () => matchesWithoutFlag(70));
  test('so it is without flag u, 200 times', { tags: ['full'] }, () => matchesWithoutFlag(200));

  function matchesWithoutFlag(numRuns: number): void {
    fc.assert(
      fc.property(sources, fc.array(text, { minLength: 8, maxLength: 8 }), (source, texts) => {
        const other = `${source}|\\-{3}`.replaceAll('\\p{L}', '\\-').replaceAll('\\u{1f600}', '\u{1f600}');
        expect(byPlatform(other).unicode).toBe(false);
        expect(texts.map((one) => readPattern(other)?.test(one))).toEqual(
          texts.map((one) => byPlatform(other).test(one)),
        );
      }),
      { numRuns },
    );
  }

  test('a text that was made matches, and is as long as was asked', () => makesMatching(100));
  test('a text that was made matches, and is as long as was asked, 300 times', { tags: ['full'] }, () =>
    makesMatching(300),
  );

  function makesMatching(numRuns: number): void {
    let made = 0;
    fc.assert(
      fc.property(sources, fc.nat(6), fc.nat(6), fc.nat(), (source, min, more, seed) => {
        const sample = samplePatterns([source], { min, max: min + more }, seed);
        if (sample === undefined) return;
        made += 1;
        expect(sample).toMatch(byPlatform(source));
        expect([...sample].length).toBeGreaterThanOrEqual(min);
        expect([...sample].length).toBeLessThanOrEqual(min + more);
      }),
      { numRuns },
    );
    expect(made).toBeGreaterThan((numRuns * 2) / 3);
  }
});

function byPlatform(source: string): RegExp {
  try {
    return new RegExp(source, 'u');
  } catch {
    return new RegExp(source);
  }
}
