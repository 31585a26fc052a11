// The state of the server at its start: two branches, of which a client sees one.

export type Dict = Record<string, unknown>;

export interface Owned {
  readonly id: string;
  readonly branch: string;
}

export interface Copy {
  readonly id: string;
  readonly barcode: string;
  readonly shelf?: string;
  status: 'onShelf' | 'onLoan' | 'repair';
}

export interface Book extends Owned {
  version: number;
  /** Members that a client may write. */
  fields: Dict;
  readonly copies: Copy[];
  readonly createdAt: string;
  updatedAt: string;
}

export interface Member extends Owned {
  readonly cardNumber: string;
  readonly fields: Dict;
  readonly blocked: boolean;
  readonly joinedAt: string;
}

export interface Loan extends Owned {
  readonly receipt: number;
  readonly memberId: string;
  readonly bookId: string;
  readonly copyId: string;
  readonly lentOn: string;
  dueOn: string;
  readonly note: string | null;
  remark?: string;
  returnedAt: string | null;
}

export interface Reservation {
  readonly memberId: string;
  readonly bookId: string;
  readonly createdAt: string;
  fields: Dict;
}

/** A day by its distance from another one, or from today. */
export const day = (offset: number, from = new Date().toISOString()) =>
  new Date(Date.parse(from.slice(0, 10)) + offset * 86_400_000).toISOString().slice(0, 10);

export function seed() {
  const at = '2026-03-02T09:15:00.000Z';
  const [harbour, hillside] = ['harbour', 'hillside'];
  const bookId = (n: number) => `5d41402a-0000-4000-8000-000000000${String(n).padStart(3, '0')}`;
  const copyId = (n: number) => `3c6e0b8a-0000-4000-8000-000000000${n}`;
  const memberId = (n: number) => `9b2d7c11-0000-4000-8000-000000000${n}`;
  const book = (branch: string, n: number, fields: Dict, copies: [number, Copy['status'], string?][]): Book => ({
    id: bookId(n),
    branch,
    version: 1,
    fields: { isbn: `97801410361${String(n).padStart(2, '0')}`, language: 'en', ageFrom: 0, ...fields },
    copies: copies.map(([c, status, shelf]) => ({
      id: copyId(c),
      barcode: `LB-000${c}`,
      status,
      ...(shelf && { shelf }),
    })),
    createdAt: at,
    updatedAt: at,
  });
  const member = (branch: string, n: number, name: string, fields: Dict, blocked = false): Member => ({
    id: memberId(n),
    branch,
    cardNumber: `10000${n}`,
    fields: {
      name,
      email: `m${n}@mail.example`,
      pin: '0000',
      phone: null,
      category: 'adult',
      interests: [],
      ...fields,
    },
    blocked,
    joinedAt: at,
  });
  const loan = (
    branch: string,
    n: number,
    [m, b, c]: number[],
    lent: number,
    due: number,
    returned: string | null,
  ): Loan => ({
    id: `e4da3b7f-0000-4000-8000-000000000${n}`,
    branch,
    receipt: 1000 + n,
    memberId: memberId(m ?? 0),
    bookId: bookId(b ?? 0),
    copyId: copyId(c ?? 0),
    lentOn: day(lent),
    dueOn: day(due),
    note: null,
    returnedAt: returned,
  });
  const notes = { condition: 'worn spine', provenance: 'gift of 1998' };
  return {
    books: [
      book(
        harbour,
        1,
        { title: 'The sea behind the dyke', authors: ['A. Fictitious'], genre: 'novel', subtitle: 'A tale', notes },
        [
          [101, 'onShelf', 'N 12'],
          [102, 'onShelf'],
          [103, 'repair', 'N 12'],
          [104, 'onLoan', 'N 12'],
          [105, 'onLoan', 'N 13'],
        ],
      ),
      book(
        harbour,
        2,
        { title: 'Żółty most', authors: ['B. Imaginary', 'C. Nobody'], genre: 'poetry', language: 'pl' },
        [
          [106, 'onShelf', 'P 3'],
          [107, 'onShelf', 'P 3'],
        ],
      ),
      book(harbour, 3, { title: 'Tides for children', authors: ['D. Unreal'], genre: 'children', ageFrom: 6 }, [
        [108, 'onShelf', 'C 1'],
      ]),
      book(hillside, 11, { title: 'A history of hills', authors: ['E. Made-Up'], genre: 'history' }, [
        [111, 'onShelf', 'H 1'],
        [112, 'onLoan', 'H 1'],
      ]),
    ],
    members: [
      member(harbour, 201, 'Ida Invented', { phone: '+4930123456', interests: ['novel'] }),
      member(harbour, 202, 'Jörg Erfunden', {
        category: 'senior',
        address: { street: 'Kai 1', postcode: '20457', city: 'Hafen' },
      }),
      member(harbour, 203, 'Kim Blocked', {}, true),
      member(hillside, 211, 'Lou Elsewhere', { birthDate: '2001-02-03' }),
    ],
    loans: [
      loan(harbour, 301, [201, 1, 104], -3, 25, null),
      loan(harbour, 302, [202, 1, 105], -40, -12, null),
      loan(harbour, 303, [201, 2, 106], -60, -32, `${day(-35)}T16:20:00.000Z`),
      loan(hillside, 311, [211, 11, 112], -5, 23, null),
    ],
    reservations: [
      { memberId: memberId(202), bookId: bookId(1), createdAt: at, fields: { pickupUntil: day(30), notify: 'email' } },
      { memberId: memberId(211), bookId: bookId(11), createdAt: at, fields: { pickupUntil: day(30), notify: 'sms' } },
    ] as Reservation[],
    /** Loans by branch and Idempotency-Key. */
    keys: new Map<string, { readonly body: Dict; readonly loan: Loan }>(),
  };
}
