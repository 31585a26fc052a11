/**
 * Validators of a `format`. `strict` accepts texts that every reader accepts, `lenient` texts that some reader accepts. The runner sends
 * only strictly valid data, and reports an answer only if `lenient` rejects it. Other formats prove nothing: `int32` and `int64` are
 * hints about storage.
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
    // RFC 3339, 5.6 allows `t`, `z` and a space. The zone is optional here: a `pattern` may require it.
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
