// The content of cursors as bytes. A format is one table of fields in order: each field writes its number, or the length of its text, into
// the head, and its text after the head. Clients keep cursors across releases: fields never move, and a table of values only grows at its end.

/** One value of a cursor. */
export interface Field<Value> {
  readonly headBytes: number;
  /** @returns the field's bytes after the head */
  write(head: Buffer, at: number, value: Value): Uint8Array;
  /**
   * @param takeTail returns the next bytes after the head; without a length, all remaining bytes
   * @throws RangeError when there is no such value
   */
  read(head: Buffer, at: number, takeTail: (length?: number) => Buffer): Value;
}

type Values<Fields> = {
  readonly [Name in keyof Fields]: Fields[Name] extends Field<infer Value> ? Value : never;
};

/** Packs and unpacks the values of one kind of cursor. */
export interface CursorFormat<Content> {
  pack(values: Content): Uint8Array;
  /** Undefined for a cursor of another list, or of another release with a value that this one does not have. */
  unpack(content: Uint8Array): Content | undefined;
}

/** Operations whose lists have cursors. The first byte of a cursor is the index of its list. */
const lists = ['getDevices', 'getDevicesSupportingAlgoPin', 'getDeviceActivity'] as const;

export type CursorList = (typeof lists)[number];

/** The list of a cursor; undefined for a list of a later release. */
export function listOfCursor(content: Uint8Array): CursorList | undefined {
  return lists[content[0] ?? lists.length];
}

/** @param fields in their order, after the list of the cursor, which has to be in `among` */
export function createCursorFormat<
  const Among extends CursorList,
  const Fields extends Readonly<Record<string, Field<unknown>>>,
>(among: readonly Among[], fields: Fields): CursorFormat<Values<Fields> & { readonly operation: Among }> {
  const entries = Object.entries({ operation: row<CursorList>(lists), ...fields });
  const headBytes = entries.reduce((bytes, [, field]) => bytes + field.headBytes, 0);

  function read(content: Uint8Array): unknown {
    const bytes = Buffer.from(content.buffer, content.byteOffset, content.length);
    let tailAt = headBytes;
    const takeTail = (length = bytes.length - tailAt): Buffer => {
      tailAt += length;
      if (tailAt > bytes.length) throw new RangeError('the cursor is too short');
      return bytes.subarray(tailAt - length, tailAt);
    };
    let at = 0;
    const values = entries.map(([name, field]) => {
      at += field.headBytes;
      return [name, field.read(bytes, at - field.headBytes, takeTail)];
    });
    return Object.fromEntries(values);
  }

  return {
    pack(values) {
      const head = Buffer.alloc(headBytes);
      let at = 0;
      const tails = entries.map(([name, field]) => {
        const tail = field.write(head, at, values[name as keyof typeof values]);
        at += field.headBytes;
        return tail;
      });
      return Buffer.concat([head, ...tails]);
    },
    unpack(content) {
      if (!among.some((list) => list === listOfCursor(content))) return undefined;
      try {
        return read(content) as ReturnType<CursorFormat<Values<Fields> & { readonly operation: Among }>['unpack']>;
      } catch (error) {
        if (error instanceof RangeError) return undefined;
        throw error;
      }
    },
  };
}

const nothing = new Uint8Array();

/** The index of a value in a table: one byte. */
export function row<Value>(values: readonly Value[]): Field<Value> {
  return {
    headBytes: 1,
    write(head, at, value) {
      head.writeUInt8(values.indexOf(value), at);
      return nothing;
    },
    read(head, at) {
      const place = head.readUInt8(at);
      if (place >= values.length) throw new RangeError(`there are ${values.length} values, not ${place + 1}`);
      return values[place] as Value;
    },
  };
}

/** A whole number to 255 or 65,535. */
export function whole(bytes: 1 | 2): Field<number> {
  return {
    headBytes: bytes,
    write(head, at, value) {
      head.writeUIntBE(value, at, bytes);
      return nothing;
    },
    read: (head, at) => head.readUIntBE(at, bytes),
  };
}

/** An instant in milliseconds, exact: eight bytes. */
export const instant: Field<number> = {
  headBytes: 8,
  write(head, at, value) {
    head.writeDoubleBE(value, at);
    return nothing;
  },
  read: (head, at) => head.readDoubleBE(at),
};

/** Hexadecimal digits of a fixed length. */
export function hex(bytes: number): Field<string> {
  return {
    headBytes: bytes,
    write(head, at, value) {
      head.write(value, at, bytes, 'hex');
      return nothing;
    },
    read: (head, at) => head.toString('hex', at, at + bytes),
  };
}

/** ASCII text: its length in one byte of the head, its characters after the head. */
export const ascii: Field<string> = {
  headBytes: 1,
  write(head, at, value) {
    head.writeUInt8(value.length, at);
    return Buffer.from(value, 'latin1');
  },
  read: (head, at, takeTail) => takeTail(head.readUInt8(at)).toString('latin1'),
};

/** The last field: any text, three bytes a code point. UTF-8 needs four for some, and a long name would not fit. */
export const lastText: Field<string> = {
  headBytes: 0,
  write(_head, _at, value) {
    const characters = [...value];
    const bytes = Buffer.alloc(characters.length * 3);
    characters.forEach((character, index) => {
      bytes.writeUIntBE(character.codePointAt(0) ?? 0, index * 3, 3);
    });
    return bytes;
  },
  read(_head, _at, takeTail) {
    const bytes = takeTail();
    const points = Array.from({ length: bytes.length / 3 }, (_, index) => bytes.readUIntBE(index * 3, 3));
    return String.fromCodePoint(...points);
  },
};
