/** One fault of a request, as answers list it. */
export interface Detail {
  readonly in: 'path' | 'query' | 'header' | 'body';
  /** Name of the parameter, or JSON pointer into the body. */
  readonly at: string;
  readonly says: string;
  /** Accepted values or names; may be empty. */
  readonly nearest: readonly string[];
}

/** A fault, with its status if not 400. */
export type PlaceFault = Detail & { readonly status?: number | undefined };

/** The values of one part of a request, or its first fault. */
export type ReadPlace<Values> =
  | { readonly kind: 'values'; readonly values: Values }
  | { readonly kind: 'fault'; readonly fault: PlaceFault };

/** Sent text must not make the answer larger than contracts allow. */
const longestSays = 1_000;
const longestAt = 500;
const mostNearest = 20;

/** Text and details of a rejection, cut to their limits. */
export function boundFaults(first: PlaceFault, all: readonly PlaceFault[]): { text: string; details: Detail[] } {
  const details = all.map(({ in: place, at, says, nearest }) => ({
    in: place,
    at: shorten(at, longestAt),
    says: shorten(says, longestSays),
    nearest: nearest.slice(0, mostNearest).map((value) => shorten(value, longestAt)),
  }));
  return { text: shorten(first.says, longestSays), details };
}

function shorten(text: string, longest: number): string {
  const characters = [...text];
  return characters.length > longest ? `${characters.slice(0, longest - 1).join('')}…` : text;
}
