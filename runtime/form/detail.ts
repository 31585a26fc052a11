/** One thing wrong with a request, as answers list it. */
export interface Detail {
  readonly in: 'path' | 'query' | 'header' | 'body';
  /** Name of the parameter, or JSON pointer into the body. */
  readonly at: string;
  readonly says: string;
  /** Values or names that would do; may be empty. */
  readonly nearest: readonly string[];
}

/** A fault, with the status of its place where that is not 400. */
export type PlaceFault = Detail & { readonly status?: number | undefined };
