/**
 * What a `format` proves. `strict` accepts what every reader accepts, `lenient` whatever some reader takes: data is sent
 * only when strict agrees, and an answer is wrong only when lenient refuses it. Formats that are not listed prove nothing,
 * `int32` and `int64` neither: they are hints about storage.
 */
export const formats: Readonly<
  Record<string, { strict: (text: string) => boolean; lenient: (text: string) => boolean }>
> = {
  'date-time': {
    strict: (text) =>
      isDateTime(
        text,
        /^(\d{4}-\d\d-\d\d)T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,9})?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$/,
      ),
    // RFC 3339, 5.6 lets `t`, `z` and a space pass; a missing zone is left to a pattern.
    lenient: (text) =>
      isDateTime(text, /^(\d{4}-\d\d-\d\d)[Tt ]\d\d:\d\d(:\d\d([.,]\d+)?)?\s?([Zz]|[+-]\d\d(:?\d\d)?)?$/),
  },
  date: { strict: (text) => isDate(text), lenient: (text) => isDate(text) },
  time: {
    strict: (text) => /^([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d+)?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$/.test(text),
    lenient: (text) => /^\d\d:\d\d/.test(text),
  },
  duration: {
    strict: (text) => /^P(?=.)(\d+Y)?(\d+M)?(\d+D)?(T(?=.)(\d+H)?(\d+M)?(\d+S)?)?$/.test(text),
    lenient: (text) => /^[+-]?P/i.test(text),
  },
  uuid: {
    strict: (text) => /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i.test(text),
    lenient: (text) => /^(urn:uuid:)?[{(]?([0-9a-f]-?){32}[)}]?$/i.test(text),
  },
  email: {
    strict: (text) => /^[a-z0-9][a-z0-9.-]*@[a-z0-9-]+(\.[a-z0-9-]+)+$/i.test(text),
    lenient: (text) => /.@./s.test(text),
  },
  uri: {
    strict: (text) => URL.canParse(text) && isVisible(text),
    lenient: (text) => /^[a-z][a-z0-9+.-]*:/i.test(text),
  },
  'uri-reference': { strict: isVisible, lenient: (text) => !/[\s<>]/.test(text) },
  hostname: {
    strict: (text) => /^[a-z0-9]([a-z0-9.-]{0,250}[a-z0-9])?$/i.test(text),
    lenient: (text) => !/\s/.test(text),
  },
  ipv4: { strict: isIpv4, lenient: isIpv4 },
  ipv6: { strict: (text) => URL.canParse(`http://[${text}]/`), lenient: (text) => text.includes(':') },
};

function isDateTime(text: string, shape: RegExp): boolean {
  const match = shape.exec(text);
  return match !== null && isDate(match[1] ?? '');
}

const daysIn = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

function isDate(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return false;
  const [year, month, day] = [Number(text.slice(0, 4)), Number(text.slice(5, 7)), Number(text.slice(8))];
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return day >= 1 && day <= (month === 2 && isLeap ? 29 : (daysIn[month - 1] ?? 0));
}

function isIpv4(text: string): boolean {
  return /^\d{1,3}(\.\d{1,3}){3}$/.test(text) && text.split('.').every((part) => Number(part) < 256);
}

function isVisible(text: string): boolean {
  return /^[\x21-\x7e]*$/.test(text) && !/[<>"{}|\\^`]/.test(text);
}
